"""The name of the body below the pointer, in the page and in recordings."""

from __future__ import annotations

import json
from collections.abc import Sequence

from ougi._typing import Foreign

# viser has no event for a pointer that rests on an object, so the browser finds the body by itself: it casts
# the ray of viser's own camera at the groups of bodies. If a later viser names these objects otherwise, names
# do not appear, and nothing else changes.
_SCRIPT = """
const groups = %s;
document.getElementById("ougi-hover")?.remove();
const label = document.createElement("div");
label.id = "ougi-hover";
label.style.cssText = "position:fixed;display:none;pointer-events:none;z-index:9;padding:0.1em 0.5em;" +
  "border-radius:0.3em;background:rgba(30,30,30,0.85);color:white;font:14px sans-serif;white-space:pre";
document.body.appendChild(label);
const findViewer = () => {
  const canvas = document.querySelector("canvas");
  const key = canvas && Object.keys(canvas).find(name => name.startsWith("__reactFiber$"));
  for (let fiber = key && canvas[key]; fiber; fiber = fiber.return) {
    const viewer = fiber.memoizedProps?.value?.mutable?.current;
    if (viewer?.nodeRefFromName) return viewer;
  }
  return null;
};
const findName = (viewer, x, y) => {
  const box = viewer.canvas.getBoundingClientRect();
  const place = {x: 2 * (x - box.left) / box.width - 1, y: 1 - 2 * (y - box.top) / box.height};
  let name = null, nearest = Infinity;
  groups.forEach((names, k) => {
    const group = viewer.nodeRefFromName["/bodies/" + k];
    const state = group?.__r3f?.root?.getState();
    if (!state) return;
    state.raycaster.setFromCamera(place, state.camera);
    for (const hit of state.raycaster.intersectObject(group, true)) {
      if (hit.distance < nearest && names[hit.instanceId] !== undefined) {
        nearest = hit.distance;
        name = names[hit.instanceId];
      }
    }
  });
  return name;
};
let pointer = null;
const show = () => {
  const {clientX: x, clientY: y, target, buttons} = pointer;
  pointer = null;
  const viewer = !buttons && label.isConnected ? findViewer() : null;
  const name = viewer && target.contains?.(viewer.canvas) ? findName(viewer, x, y) : null;
  label.style.display = name === null ? "none" : "block";
  if (name === null) return;
  label.textContent = name;
  label.style.left = Math.min(x + 14, innerWidth - label.offsetWidth - 4) + "px";
  label.style.top = Math.max(y - 30, 4) + "px";
};
addEventListener("pointermove", event => {
  if (!pointer) setTimeout(show, 50);
  pointer = event;
});
"""


def show_names_on_hover(server: Foreign, groups: Sequence[Sequence[str]]) -> None:
    """Show names of bodies below the pointer: `groups[k]` has those of the members of `/bodies/k`."""
    from viser import _messages

    # The same message brings plotly to the page. There is no public function for it.
    source = _SCRIPT % json.dumps([list(names) for names in groups])
    server.scene._websock_interface.queue_message(_messages.RunJavascriptMessage(source=source))
