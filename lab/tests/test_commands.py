"""The commands of the laboratory: what they refuse, and how."""

from __future__ import annotations

import pytest

from ougi.cli import app as cli


def code_of(*arguments: str) -> int:
    return cli.run(list(arguments))


@pytest.mark.parametrize(
    "arguments",
    [
        ["verify"],
        ["verify", "nothing"],
        ["verify", "narrow", "sphere-bocks"],
        ["verify", "narrow", "--cases", "-1"],
        ["verify", "narrow", "--jobs", "0"],
        ["bench", "narrow", "no-such"],
        ["bench", "narrow", "--count", "0"],
        ["reproduce", "fan-9.9"],
        ["reproduce", "fan2d", "--seed", "-1"],
        ["reproduce", "fan2d", "--data", "0"],
        ["reproduce", "fan2d", "--data", "3"],
        ["reproduce", "fan2d", "--output", "/dev/null/folder"],
        ["figures", "fan-9.9"],
        ["fuzz", "nothing"],
        ["fuzz", "api", "--seconds", "0"],
        ["fuzz", "api", "--seed", "-1"],
        ["fuzz", "api", "--cases", "0"],
        ["figures", "--format", "bmp"],
    ],
)
def test_bad_arguments_exit_with_2_and_say_why(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert code_of(*arguments) == 2
    output = capsys.readouterr()
    assert output.err or output.out
    assert "Traceback" not in output.err + output.out


def test_a_misspelt_pair_is_suggested(capsys: pytest.CaptureFixture[str]) -> None:
    assert code_of("verify", "narrow", "sphere-bocks") == 2
    assert "did you mean sphere-box" in capsys.readouterr().err
