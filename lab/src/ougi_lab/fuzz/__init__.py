"""Fuzzing: mutated files and calls, each of which must end with an answer or with an expected error."""
