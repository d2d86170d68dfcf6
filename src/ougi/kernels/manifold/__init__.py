"""Contact manifolds: the points by which the faces of two touching polytopes support each other."""
