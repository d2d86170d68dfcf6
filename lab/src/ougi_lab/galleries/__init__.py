"""The galleries of `ougi view`: one module for each paper, with a class `Gallery`."""
