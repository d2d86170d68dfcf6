"""The evidence for the kernels: seeded cases, proofs of results, peer libraries, and runs that resume."""
