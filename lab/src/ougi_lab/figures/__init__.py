"""The figures of the papers, drawn anew: `ougi figures`."""
