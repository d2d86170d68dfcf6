"""The papers' experiments, one file each; `ougi reproduce` sets our numbers beside theirs."""
