"""The command line `ougi`: check, view, pairs, schema, warmup and cache. Needs the extra `cli`."""
