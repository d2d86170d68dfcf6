"""First contacts between two frames of a game: rounded convex polygons that fly and turn."""
