"""The normal draw of RADAR sec. 4.2 and 4.3: a scene as a viewer would see it, 640 x 480 pixels.

Half of the bodies are textured, a quarter is transparent and a quarter plain, as in the paper; all are lit,
for each pixel. By OpenGL, in the context of the radars beside which it is timed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ougi._typing import Floats
from ougi.shapes import Mesh

SIZE = (640, 480)

TEXTURED, TRANSPARENT, PLAIN = 0, 1, 2

_VERTEX = """
#version 430
uniform mat4 camera;
in vec3 corner;
in vec3 outward;
in vec3 paint;
out vec3 normal, color, place;
void main() {
    gl_Position = camera * vec4(corner, 1.0);
    normal = outward;
    color = paint;
    place = corner;
}
"""

_FRAGMENT = """
#version 430
uniform sampler2D image;
uniform vec3 eye;
uniform float textured;
uniform float alpha;
in vec3 normal, color, place;
out vec4 light;
void main() {
    vec3 n = normalize(normal), sun = normalize(vec3(0.4, 0.8, -0.45));
    vec2 at = vec2(atan(n.y, n.x) / 3.14159265, 0.5 * n.z + 0.5);
    vec3 base = mix(color, texture(image, 2.0 * at).rgb, textured);
    float glint = pow(max(dot(reflect(-sun, n), normalize(eye - place)), 0.0), 24.0);
    light = vec4(base * (0.25 + 0.75 * max(dot(n, sun), 0.0)) + 0.4 * glint, alpha);
}
"""


class NormalDraw:
    """A scene in a context, ready to be drawn.

    Parameters
    ----------
    context
        A moderngl context, current on this thread.
    meshes, kinds
        Bodies, and which of the three kinds each is of.
    eye
        Position of the camera, which faces the origin.
    """

    def __init__(self, context: Any, meshes: Sequence[Mesh], kinds: Sequence[int], eye: Floats) -> None:
        self.context = context
        self.frame = context.simple_framebuffer(SIZE)
        self.program = context.program(vertex_shader=_VERTEX, fragment_shader=_FRAGMENT)
        self.program["camera"].write(_build_camera(eye).T.astype(np.float32).tobytes())
        self.program["eye"] = tuple(eye)
        checks = np.indices((64, 64)).sum(axis=0) // 8 % 2
        texture = np.where(checks[..., None], [230, 170, 60], [60, 80, 150]).astype(np.uint8)
        self.texture = context.texture((64, 64), 3, texture.tobytes())
        self.texture.build_mipmaps()
        self.arrays = {
            kind: self._build_array([mesh for mesh, k in zip(meshes, kinds, strict=True) if k == kind], kind)
            for kind in sorted(set(kinds))
        }

    def _build_array(self, meshes: Sequence[Mesh], kind: int) -> Any:
        starts = np.cumsum([0, *(len(mesh.vertices) for mesh in meshes)])
        corners = np.concatenate([mesh.vertices for mesh in meshes])
        outward = np.concatenate([mesh.vertices - mesh.vertices.mean(axis=0) for mesh in meshes])
        faces = np.concatenate([mesh.faces + start for mesh, start in zip(meshes, starts, strict=False)])
        paint = np.tile([(0.8, 0.3, 0.2), (0.3, 0.7, 0.9), (0.4, 0.7, 0.4)][kind], (len(corners), 1))
        columns = np.column_stack([corners, outward, paint]).astype(np.float32)
        buffer, index = self.context.buffer(columns), self.context.buffer(faces.astype(np.uint32))
        content = [(buffer, "3f 3f 3f", "corner", "outward", "paint")]
        return self.context.vertex_array(self.program, content, index)

    def draw(self) -> None:
        """One frame, to its end; transparent bodies come last."""
        context = self.context
        with context.scope(self.frame, context.DEPTH_TEST):
            self.frame.clear(0.93, 0.95, 0.97, 1.0, depth=1.0)
            context.depth_func = "<"
            self.texture.use(0)
            for kind in (TEXTURED, PLAIN, TRANSPARENT):
                if kind in self.arrays:
                    self.program["textured"] = float(kind == TEXTURED)
                    self.program["alpha"] = 0.5 if kind == TRANSPARENT else 1.0
                    if kind == TRANSPARENT:
                        context.enable(context.BLEND)
                    self.arrays[kind].render()
            context.finish()


def _build_camera(eye: Floats) -> Floats:
    """From the world to what the camera sees: 45 degrees high, towards the origin, y up."""
    z = eye / np.linalg.norm(eye)
    x = np.cross([0.0, 1.0, 0.0], z)
    x /= np.linalg.norm(x)
    view = np.eye(4)
    view[:3, :3] = [x, np.cross(z, x), z]
    view[:3, 3] = -view[:3, :3] @ eye
    near, far = 0.05 * float(np.linalg.norm(eye)), 3.0 * float(np.linalg.norm(eye))
    f, width = 1.0 / np.tan(np.pi / 8), SIZE[0] / SIZE[1]
    project = np.array(
        [
            [f / width, 0, 0, 0],
            [0, f, 0, 0],
            [0, 0, (far + near) / (near - far), 2 * far * near / (near - far)],
            [0, 0, -1, 0],
        ]
    )
    seen: Floats = project @ view
    return seen
