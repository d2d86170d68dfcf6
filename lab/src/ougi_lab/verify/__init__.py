"""The evidence behind the kernels: seeded cases, proofs of answers, second opinions, and runs that resume."""
