"""Fuzzing: damaged input must be answered or refused, never crash, hang or take all memory."""
