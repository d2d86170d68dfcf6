"""Pictures of shapes, motions and contacts, and the figures of the papers.

`Picture` is what examples, experiments and commands use; `ougi figures` draws what FAN shows. Needs the extra
`plot` (matplotlib), which is loaded when a picture is made.
"""

from ougi.plot.camera import ABOVE, Camera
from ougi.plot.panel import BLUE, BODY, FAN, GREY, RED, Panel
from ougi.plot.picture import Picture
from ougi.plot.plane import Plane
from ougi.plot.space import Space

__all__ = ["ABOVE", "BLUE", "BODY", "FAN", "GREY", "RED", "Camera", "Panel", "Picture", "Plane", "Space"]
