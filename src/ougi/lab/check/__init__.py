"""`ougi check`: a scene from a file, what touches what, printed and drawn."""
