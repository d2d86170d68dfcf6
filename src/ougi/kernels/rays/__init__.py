"""Where a ray enters a body: closed forms, one for each layout.

Nothing outside of this folder depends on it but `ougi.raycast`.
"""
