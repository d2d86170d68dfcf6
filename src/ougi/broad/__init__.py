"""Which of many bodies can touch? Bounding volumes in, index pairs out."""

from ougi.broad.candidates import METHODS, candidate_pairs
from ougi.broad.count import PairTests, count_tests

__all__ = ["METHODS", "PairTests", "candidate_pairs", "count_tests"]
