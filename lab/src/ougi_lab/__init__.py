"""The laboratory of ougi: evidence, benchmarks, the papers' experiments and figures, galleries and games."""
