"""Loops over the triangles of meshes: a tree of boxes, rays, nearest and touching triangles."""
