"""Fuzzing: mutated files and calls, each of which must end with a result or with an expected error."""
