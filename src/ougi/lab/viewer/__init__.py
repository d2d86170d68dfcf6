"""`ougi view`: scenes and galleries in a browser, by viser; this machine alone can see them."""
