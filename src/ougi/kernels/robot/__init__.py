"""Robots: poses of links, bounds of their motions, and gaps between shapes of any class."""
