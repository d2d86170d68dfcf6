"""The papers' experiments, one file each; `ougi reproduce` runs them, the papers' numbers beside ours."""
