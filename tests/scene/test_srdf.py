"""SRDF files: which pairs of links they disable."""

from __future__ import annotations

from pathlib import Path

import pytest

import ougi
from ougi.scene import Limits, SceneError, load_scene

BALLS = '<collision><geometry><sphere radius="0.1"/></geometry></collision>' * 2
JOINT = '<joint name="{0}" type="continuous"><parent link="{1}"/><child link="{2}"/></joint>'
LINKS = "".join(f'<link name="{name}">{BALLS}</link>' for name in "abcd")
ROBOT = f'<robot name="r">{LINKS}{JOINT.format("i", "a", "b")}{JOINT.format("j", "b", "c")}'
ROBOT += f"{JOINT.format('k', 'c', 'd')}</robot>"


def load(tmp_path: Path, text: str, name: str = "r.srdf", **options: Limits | Path) -> ougi.Scene:
    (tmp_path / "r.urdf").write_text(ROBOT)
    (tmp_path / name).write_text(text)
    return load_scene(tmp_path / "r.urdf", **options)  # type: ignore[arg-type]


def list_covered(scene: ougi.Scene) -> set[str]:
    """The pairs of links that are checked; both shapes of a link count."""
    links = [body.name[0] for body in scene.bodies]
    pairs = [[i, j] for i in range(len(links)) for j in range(i)]
    chosen = [pair for pair, is_covered in zip(pairs, scene.covers(pairs), strict=True) if is_covered]
    assert len(chosen) % 4 == 0
    return {"".join(sorted(links[i] for i in pair)) for pair in chosen}


def test_the_srdf_beside_a_robot_or_a_given_one_disables_pairs(tmp_path: Path) -> None:
    text = '<robot name="r"><disable_collisions link1="c" link2="a" reason="Never"/></robot>'
    assert list_covered(load(tmp_path, text, "other.srdf")) == {"ac", "ad", "bd"}
    assert list_covered(load(tmp_path, text, "other.srdf", srdf=tmp_path / "other.srdf")) == {"ad", "bd"}
    scene = load(tmp_path, text)
    assert list_covered(scene) == {"ad", "bd"}
    assert scene.pair_counts.excluded == {
        "rigidly connected": 4,
        "neighbours at a joint": 12,
        "disabled by the SRDF": 4,
    }


def test_default_collisions_are_disabled_and_enabled_in_order(tmp_path: Path) -> None:
    text = (
        '<robot name="r"><group name="arm"/><disable_default_collisions link="d"/>'
        '<enable_collisions link1="b" link2="d"/></robot>'
    )
    assert list_covered(load(tmp_path, text)) == {"ac", "bd"}


def test_the_srdf_of_a_ros_package_is_found(tmp_path: Path) -> None:
    robots, rules = tmp_path / "urdf", tmp_path / "srdf"
    robots.mkdir()
    rules.mkdir()
    text = '<robot name="r"><disable_collisions link1="a" link2="c"/></robot>'
    assert list_covered(load(robots, text, "other.srdf")) == {"ac", "ad", "bd"}
    (rules / "r.srdf").write_text(text)
    assert list_covered(load(robots, text, "other.srdf")) == {"ad", "bd"}
    (rules / "r.srdf").write_text(text.replace('"r"', '"s"'))
    with pytest.warns(UserWarning, match=r"r.srdf:1: .* the robot 's', not to 'r'; it is not used"):
        assert list_covered(load(robots, text, "other.srdf")) == {"ac", "ad", "bd"}


def test_an_included_robot_has_its_srdf(tmp_path: Path) -> None:
    load(tmp_path, '<robot name="r"><disable_collisions link1="a" link2="c"/></robot>')
    (tmp_path / "s.toml").write_text(
        'ougi = 1\n[[body]]\nname = "x"\nshape = { type = "sphere", radius = 1 }\n'
        '[[include]]\nfile = "r.urdf"\n'
    )
    assert list_covered(load_scene(tmp_path / "s.toml")) == {"ad", "bd", "ax", "bx", "cx", "dx"}


def test_a_link_that_the_robot_does_not_have_is_a_warning(tmp_path: Path) -> None:
    text = '<robot name="r">\n<disable_collisions link1="a" link2="e"/>'
    text += '<disable_collisions link1="f" link2="a"/><disable_collisions link1="a" link2="d"/></robot>'
    words = r"^r.srdf:2: the robot has no link 'e'; known: a, b, c, d, nor 1 more that the file names$"
    with pytest.warns(UserWarning, match=words):
        assert list_covered(load(tmp_path, text)) == {"ac", "bd"}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('<robot name="s"/>', r"r.srdf:1: this SRDF belongs to the robot 's', not to 'r'"),
        ("<model/>", "an SRDF begins with <robot>, this file with <model>"),
        ('<robot>\n<disable_collisions link1="a"/></robot>', "r.srdf:2: disable_collisions needs link2"),
        ("<robot>", "r.srdf:1: not valid XML"),
        ('<!DOCTYPE r [<!ENTITY a "b">]><robot/>', "a DOCTYPE is not allowed"),
    ],
)
def test_what_is_wrong_with_an_srdf_is_reported(text: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(SceneError, match=words):
        load(tmp_path, text)


def test_disabled_pairs_count_for_the_limit_of_excluded_pairs(tmp_path: Path) -> None:
    text = '<robot name="r"><disable_default_collisions link="a"/></robot>'
    for count in (3, 14):
        with pytest.raises(SceneError, match=r"exceeds the limit of .* excluded pairs"):
            load(tmp_path, text, limits=Limits(excluded_pairs=count))
    load(tmp_path, text, limits=Limits(excluded_pairs=28))


def test_an_srdf_belongs_to_a_robot(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text("ougi = 1\n")
    with pytest.raises(SceneError, match="an SRDF belongs to a URDF"):
        load_scene(tmp_path / "s.toml", srdf=tmp_path / "r.srdf")
