"""The command `ougi`. Commands are registered by name and imported when they are called.

Exit codes: 0 all is well (no contact), 1 a contact or a disagreement was found, 2 bad arguments or invalid
input, 3 a missing extra (the message names the `pip install`), 4 an internal error.
"""

from __future__ import annotations

import os
import re
import sys
import textwrap
import traceback
import warnings
from typing import Any

from cyclopts import App
from cyclopts.help import PlainFormatter

from ougi import __version__
from ougi.errors import DeviceError, InvalidInputError, MissingExtraError

BAD_INPUT, MISSING_EXTRA, INTERNAL_ERROR = 2, 3, 4


class _Flowing(PlainFormatter):
    """Help for pipes and files: each text is filled anew, for it comes in lines of another width."""

    def _print_plain(self, console: Any, text: str) -> None:
        margin = text[: len(text) - len(text.lstrip(" "))]
        wrapper = textwrap.TextWrapper(
            console.width, initial_indent=margin, subsequent_indent=2 * margin, break_on_hyphens=False
        )
        blocks = [wrapper.fill(" ".join(block.split())) for block in re.split(r"\n\s*\n", text.strip())]
        super()._print_plain(console, "\n\n".join(blocks))


app = App(
    name="ougi",
    help="Real-time collision detection on NumPy arrays, with checked answers.",
    version=f"ougi {__version__}",
    result_action="return_value",
    suppress_keyboard_interrupt=False,
    help_formatter="default" if sys.stdout.isatty() else _Flowing(),
    error_formatter=None if sys.stderr.isatty() else lambda error: f"ougi: {error}",
)
app.command(
    "ougi.lab.check.command:check", name="check", help="Check a scene: what touches what, when, where?"
)
app.command(
    "ougi.lab.viewer.command:view", name="view", help="Show a scene, a result or a gallery in the browser."
)
app.command("ougi.lab.pairs:pairs", name="pairs", help="Print which questions are answered for which pairs.")
app.command("ougi.lab.verify.command:verify", name="verify", help="Check kernels against independent proofs.")
app.command("ougi.lab.bench.command:bench", name="bench", help="Measure, beside a memory copy and peers.")
app.command(
    "ougi.lab.reproduce.command:reproduce", name="reproduce", help="Run the papers' experiments again."
)
app.command("ougi.lab.figures.command:figures", name="figures", help="Draw the figures of the papers anew.")
app.command("ougi.lab.play.command:play", name="play", help="Play: steer a ball through a corridor.")
app.command("ougi.lab.schema:schema", name="schema", help="Print the JSON schema of scene files.")
app.command("ougi.lab.compile:warmup", name="warmup", help="Compile all kernels now, once for this machine.")
app.command("ougi.lab.compile:cache", name="cache", help="Show or clear the folder of compiled kernels.")


def main() -> None:
    """Run the command line and exit with its code."""
    warnings.formatwarning = lambda text, *_: f"ougi: warning: {text}\n"  # without our source
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run one command; never a traceback for what the user can mend."""
    try:
        if arguments and arguments[0] in app and {"--help", "-h"} & set(arguments[1:]):
            app[arguments[0]].help = None  # its docstring, which says more than its line in the list
        result = app(arguments)
        sys.stdout.flush()
    except MissingExtraError as error:
        return _say(error, MISSING_EXTRA)
    except ModuleNotFoundError as error:
        if extra := _extra_with(error.name or ""):
            return _say(MissingExtraError(extra, f"this, by {error.name},"), MISSING_EXTRA)
        return _report_it()
    except BrokenPipeError:  # the reader of a pipe has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (DeviceError, InvalidInputError, OSError) as error:
        return _say(error, BAD_INPUT)
    except KeyboardInterrupt:
        return _say(KeyboardInterrupt("interrupted"), 130)
    except Exception:
        return _report_it()
    return result if isinstance(result, int) else 0


def _extra_with(module: str) -> str | None:
    """The extra that brings a module, by what the installed package says that it requires."""
    from importlib import metadata

    wanted = {"fcl": "python-fcl", "warp": "warp-lang", "pygame": "pygame-ce"}.get(module, module).lower()
    for line in metadata.requires("ougi") or []:
        found = re.match(r"""([\w-]+).*extra == ['"](\w+)""", line)
        if found and found[1].lower() == wanted and found[2] not in ("all", "dev"):
            return found[2]
    return None


def _report_it() -> int:
    """Of an error that is no fault of the user."""
    traceback.print_exc()
    return _say(RuntimeError("internal error: please report it with the lines above"), INTERNAL_ERROR)


def _say(error: BaseException, code: int) -> int:
    print(f"ougi: {error}", file=sys.stderr)  # noqa: T201
    return code
