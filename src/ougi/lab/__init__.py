"""Evidence, benchmarks, experiments and the command line. Nothing below this layer imports it."""
