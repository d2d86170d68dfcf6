"""Characters in a corridor on a GPU move as those of the CPU do."""

from __future__ import annotations

import numpy as np
import pytest
from devices import SIMULATED, on_host

import ougi.cuda
from ougi.cuda._driver import copied
from ougi_lab.scenes.corridors import draw_circles, make_adversarial_strip

ROOM = ougi.Corridor([[0, 0], [4, 0], [4, 3], [0, 3]], holes=[[[1, 1], [2, 1], [2, 2], [1, 2]]])


def test_characters_move_as_on_the_cpu_to_the_last_bit() -> None:
    rng, count = np.random.default_rng(4), 5 if SIMULATED else 20_000
    room = ougi.Corridor(make_adversarial_strip(rng, 2 if SIMULATED else 24))
    place, way = draw_circles(room, count, 0.05, 20.0, rng)
    radii = rng.uniform(0.03, 0.05, count)
    wall = ougi.cuda.put(room.compile(0.03, 0.05))
    moved = wall.step(copied(place), copied(way), copied(radii), 1.0, restitution=0.9, max_bounces=500)
    ours = room.step(place, way, radii, 1.0, restitution=0.9, max_bounces=500)
    assert ours.bounce_count.max() > 1
    for _ in range(2):
        for name in ("position", "velocity", "bounce_count", "time_left", "test_count"):
            assert np.array_equal(on_host(getattr(moved, name)), getattr(ours, name))
        held = moved
        moved = wall.step(moved.position, moved.velocity, 0.03, 1.0, max_bounces=2, out=moved)
        assert moved is held
        ours = room.step(ours.position, ours.velocity, 0.03, 1.0, max_bounces=2)


def test_characters_that_do_not_fit_are_refused() -> None:
    wall = ougi.cuda.put(ROOM.compile(0.2, 0.4))
    places = copied(np.array([[0.5, 0.5], [1.5, 1.5], [0.1, 0.5]]))
    still, radii = copied(np.zeros((3, 2))), copied(np.array([0.3, 0.3, 0.5]))
    with pytest.raises(ValueError, match=r"character 1 at \(1.5, 1.5\) is outside of the corridor"):
        wall.step(places, still, 0.3, 1.0)
    with pytest.raises(ValueError, match=r"radii from 0.2 to 0.4, but radius is 0.5 at index 2: put"):
        wall.step(places, still, radii, 1.0)
    near = copied(np.array([[0.5, 0.5], [0.1, 0.5]]))
    with pytest.raises(ValueError, match=r"character 1 at \(0.1, 0.5\) does not fit: .* its radius 0.3"):
        wall.step(near, copied(np.zeros((2, 2))), 0.3, 1.0)
    assert (
        wall.step(near, copied(np.zeros((2, 2))), 0.3, 1.0, check=False, result="numpy").time_left[0] == 0.0
    )
    none = copied(np.zeros((0, 2)))
    assert wall.step(none, none, 0.3, 1.0).bounce_count.shape == (0,)


def test_corridors_refuse_what_lies_elsewhere_or_is_not_compiled() -> None:
    with pytest.raises(TypeError, match=r"a Corridor goes to the GPU compiled for a radius: put\(cor"):
        ougi.cuda.put(ROOM)
    with pytest.raises(ValueError, match=r"got the method 'chain': put\(corridor.compile\(radius\)\)"):
        ougi.cuda.put(ROOM.structure("chain"))
    wall, spot = ougi.cuda.put(ROOM.compile(0.2)), np.array([[0.5, 0.5]])
    assert repr(wall) == "<Corridor of 8 segments, compiled for the radius 0.2, on device 0>"
    there = copied(spot)
    with pytest.raises(TypeError, match=r"position must be an array on the GPU, got host memory; cupy"):
        wall.step(spot, there, 0.2, 1.0)
    with pytest.raises(TypeError, match=r"radius must be a number or \(1,\) float64 on the GPU, got host"):
        wall.step(there, there, [0.2], 1.0)
    with pytest.raises(ValueError, match=r"compiled for the radius 0\.2, but radius is 0\.1: put"):
        wall.step(there, there, 0.1, 1.0)
    with pytest.raises(ValueError, match=r"velocity must have shape \(1, 2\) like position, got \(2, 2\)"):
        wall.step(there, copied(np.zeros((2, 2))), 0.2, 1.0)
    with pytest.raises(ValueError, match=r"position must be float64 of shape \(n, 2\), got float64 of sh"):
        wall.step(copied(np.zeros((1, 3))), there, 0.2, 1.0)
    with pytest.raises(ValueError, match=r"restitution must lie between 0 and 1, got 2"):
        wall.step(there, there, 0.2, 1.0, restitution=2)
    with pytest.raises(TypeError, match="out must be an earlier answer of step with result='device'"):
        wall.step(there, there, 0.2, 1.0, out=wall.step(there, there, 0.2, 1.0, result="numpy"))
    nobody = copied(np.zeros((0, 2)))
    none = wall.step(nobody, nobody, 0.2, 1.0)
    with pytest.raises(ValueError, match="out must hold 1 characters, got 0"):
        wall.step(there, there, 0.2, 1.0, out=none)
    wall.device = 7
    with pytest.raises(ValueError, match="the corridor lies on device 7, but device 0 is current"):
        wall.step(there, there, 0.2, 1.0)
