"""Seeded scenes as code, one module per family: shared by tests, benchmarks, verification and galleries."""
