"""The papers' experiments, one file each; `ougi reproduce` runs them and sets ours beside the papers' numbers."""
