"""`ougi bench`: what tests cost beside a memory copy and beside other libraries, and what the start costs."""
