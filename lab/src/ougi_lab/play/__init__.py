"""Small games that show what the library does; `ougi play`."""
