"""Pictures of shapes, motions and contacts, and the figures of the papers.

`Picture` is what examples, experiments and commands use; `ougi figures` draws what FAN shows. Needs the extra
`plot` (matplotlib), which is loaded when a picture is made.
"""

from ougi.lab.figures.camera import ABOVE, Camera
from ougi.lab.figures.panel import BLUE, BODY, FAN, GREY, RED, Panel
from ougi.lab.figures.picture import Picture
from ougi.lab.figures.plane import Plane
from ougi.lab.figures.space import Space

__all__ = ["ABOVE", "BLUE", "BODY", "FAN", "GREY", "RED", "Camera", "Panel", "Picture", "Plane", "Space"]
