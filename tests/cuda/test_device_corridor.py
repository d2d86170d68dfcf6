"""Characters in a corridor on a GPU move as those of the CPU do."""

from __future__ import annotations

import numpy as np
import pytest
from devices import SIMULATED, assert_same_form, on_host

import ougi.cuda
from ougi.cuda.driver import to_device
from ougi_lab.scenes.corridors import draw_circles, make_adversarial_strip

HALL = ougi.Corridor([[0, 0], [4, 0], [4, 3], [0, 3]], holes=[[[1, 1], [2, 1], [2, 2], [1, 2]]])


def test_characters_move_as_on_the_cpu_to_the_last_bit() -> None:
    rng, count = np.random.default_rng(4), 5 if SIMULATED else 20_000
    hall = ougi.Corridor(make_adversarial_strip(rng, 2 if SIMULATED else 24))
    position, velocity = draw_circles(hall, count, 0.05, 20.0, rng)
    radii = rng.uniform(0.03, 0.05, count)
    wall = ougi.cuda.put(hall.compile(0.03, 0.05))
    moved = wall.step(
        to_device(position), to_device(velocity), to_device(radii), 1.0, restitution=0.9, max_bounces=500
    )
    ours = hall.step(position, velocity, radii, 1.0, restitution=0.9, max_bounces=500)
    assert ours.bounce_count.max() > 1
    for _ in range(2):
        assert_same_form(moved.to_host(), ours)
        for name in ("position", "velocity", "bounce_count", "time_left", "test_count"):
            assert np.array_equal(on_host(getattr(moved, name)), getattr(ours, name))
        held = moved
        moved = wall.step(moved.position, moved.velocity, 0.03, 1.0, max_bounces=2, out=moved)
        assert moved is held
        ours = hall.step(ours.position, ours.velocity, 0.03, 1.0, max_bounces=2)


def test_characters_that_do_not_fit_are_refused() -> None:
    wall = ougi.cuda.put(HALL.compile(0.2, 0.4))
    places = to_device(np.array([[0.5, 0.5], [1.5, 1.5], [0.1, 0.5]]))
    still, radii = to_device(np.zeros((3, 2))), to_device(np.array([0.3, 0.3, 0.5]))
    with pytest.raises(ValueError, match=r"character 1 at \(1.5, 1.5\) is outside of the corridor"):
        wall.step(places, still, 0.3, 1.0)
    with pytest.raises(ValueError, match=r"radii from 0.2 to 0.4, but radius is 0.5 at index 2: put"):
        wall.step(places, still, radii, 1.0)
    near = to_device(np.array([[0.5, 0.5], [0.1, 0.5]]))
    with pytest.raises(ValueError, match=r"character 1 at \(0.1, 0.5\) does not fit: .* its radius 0.3"):
        wall.step(near, to_device(np.zeros((2, 2))), 0.3, 1.0)
    assert (
        wall.step(near, to_device(np.zeros((2, 2))), 0.3, 1.0, check=False, result="numpy").time_left[0]
        == 0.0
    )
    none = to_device(np.zeros((0, 2)))
    assert wall.step(none, none, 0.3, 1.0).bounce_count.shape == (0,)


def test_corridors_refuse_what_lies_elsewhere_or_is_not_compiled() -> None:
    with pytest.raises(TypeError, match=r"a Corridor goes to the GPU compiled for a radius: put\(cor"):
        ougi.cuda.put(HALL)  # type: ignore[call-overload]
    with pytest.raises(ValueError, match=r"got the method 'chain': put\(corridor.compile\(radius\)\)"):
        ougi.cuda.put(HALL.structure("chain"))
    wall, spot = ougi.cuda.put(HALL.compile(0.2)), np.array([[0.5, 0.5]])
    assert repr(wall) == "<Corridor of 8 segments, compiled for the radius 0.2, on device 0>"
    there = to_device(spot)
    with pytest.raises(TypeError, match=r"position must be an array on the GPU, got host memory; cupy"):
        wall.step(spot, there, 0.2, 1.0)
    with pytest.raises(TypeError, match=r"radius must be a number or \(1,\) float64 on the GPU, got host"):
        wall.step(there, there, [0.2], 1.0)
    with pytest.raises(ValueError, match=r"compiled for the radius 0\.2, but radius is 0\.1: put"):
        wall.step(there, there, 0.1, 1.0)
    with pytest.raises(ValueError, match=r"velocity must have shape \(1, 2\) like position, got \(2, 2\)"):
        wall.step(there, to_device(np.zeros((2, 2))), 0.2, 1.0)
    with pytest.raises(ValueError, match=r"position must be float64 of shape \(n, 2\), got float64 of sh"):
        wall.step(to_device(np.zeros((1, 3))), there, 0.2, 1.0)
    with pytest.raises(ValueError, match=r"restitution must lie between 0 and 1, got 2"):
        wall.step(there, there, 0.2, 1.0, restitution=2)
    with pytest.raises(TypeError, match="out must be an earlier result of step with result='device'"):
        wall.step(there, there, 0.2, 1.0, out=wall.step(there, there, 0.2, 1.0, result="numpy"))  # type: ignore[call-overload]
    empty = to_device(np.zeros((0, 2)))
    none = wall.step(empty, empty, 0.2, 1.0)
    with pytest.raises(ValueError, match="out must hold 1 characters, got 0"):
        wall.step(there, there, 0.2, 1.0, out=none)
    wall.device = 7
    with pytest.raises(ValueError, match="the corridor lies on device 7, but device 0 is current"):
        wall.step(there, there, 0.2, 1.0)
