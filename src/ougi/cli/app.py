"""The command `ougi`. Commands are registered by name and imported when they are called.

Exit codes: 0 all is well (no contact), 1 a contact or a disagreement was found, 2 bad arguments or invalid
input, 3 a missing extra or distribution (the message names the `pip install`), 4 an internal error.
"""

from __future__ import annotations

import os
import re
import sys
import textwrap
import traceback
import warnings
from collections import Counter
from collections.abc import Callable
from importlib import metadata
from typing import TYPE_CHECKING, Annotated

from cyclopts import App, CycloptsError, Parameter, UnusedCliTokensError
from cyclopts.help import PlainFormatter

from ougi import __version__
from ougi.cli.entry import MISSING_EXTRA
from ougi.errors import DeviceError, InvalidInputError, MissingExtraError, MissingLabError

if TYPE_CHECKING:  # it imports NumPy, which help does not need
    from ougi._typing import Foreign

BAD_INPUT, INTERNAL_ERROR = 2, 4


class _PlainHelp(PlainFormatter):
    """Help for pipes and files: texts are wrapped anew, because their lines have another width."""

    def _print_plain(self, console: Foreign, text: str) -> None:
        margin = text[: len(text) - len(text.lstrip(" "))]
        wrapper = textwrap.TextWrapper(
            console.width, initial_indent=margin, subsequent_indent=2 * margin, break_on_hyphens=False
        )
        blocks = [wrapper.fill(" ".join(block.split())) for block in re.split(r"\n\s*\n", text.strip())]
        super()._print_plain(console, "\n\n".join(blocks))


def _describe_usage_error(error: CycloptsError) -> str:
    """One line about arguments that a command does not have."""
    if isinstance(error, UnusedCliTokensError) and error.unused_tokens and error.command_chain:
        return f"{' '.join(error.command_chain)} has no argument {error.unused_tokens[0]!r}; see --help"
    return " ".join(str(error).split())


app = App(
    name="ougi",
    help="Real-time collision detection on NumPy arrays.",
    version=f"ougi {__version__}",
    result_action="return_value",
    suppress_keyboard_interrupt=False,
    help_formatter="default" if sys.stdout.isatty() else _PlainHelp(),
    print_error=False,
    exit_on_error=False,
)

# Command -> (function, line of help). Functions are imported when they are called.
COMMANDS = {
    "check": ("ougi.cli.check:check", "Check scenes: what touches what, when, where?"),
    "view": ("ougi.cli.view:view", "Show a scene, a result or a gallery in the browser."),
    "pairs": ("ougi.cli.pairs:pairs", "Print which queries are implemented for which pairs."),
    "schema": ("ougi.cli.schema:schema", "Print the JSON schema of scene files."),
    "warmup": ("ougi.cli.warmup:warmup", "Compile all kernels now, once for this machine."),
    "cache": ("ougi.cli.warmup:cache", "Show or clear the folder of compiled kernels."),
}

# Commands of the distribution ougi-lab. Without it they report how to install it.
LAB_COMMANDS = {
    "verify": "Check kernels against independent proofs.",
    "bench": "Measure, beside a memory copy and peers.",
    "reproduce": "Run the papers' experiments again.",
    "figures": "Draw the figures of the papers.",
    "fuzz": "Run mutated files and calls: no internal errors.",
    "play": "Play: steer a ball through a corridor.",
}


def _require_lab(command: str) -> Callable[..., None]:
    """A command that is not installed."""

    def refuse(*arguments: Annotated[str, Parameter(allow_leading_hyphen=True)]) -> None:
        raise MissingLabError(f"the command {command!r}")

    return refuse


def _register_commands() -> None:
    """Our own commands, and commands of other distributions (entry-point group `ougi.commands`)."""
    for name, (function, line) in COMMANDS.items():
        app.command(function, name=name, help=line)
    installed = {entry.name: entry.value for entry in metadata.entry_points(group="ougi.commands")}
    for name, function in installed.items():
        app.command(function, name=name, help=LAB_COMMANDS.get(name))
    for name, line in LAB_COMMANDS.items():
        if name not in installed:
            app.command(_require_lab(name), name=name, help=f"{line} Needs ougi-lab.")


_register_commands()


def run_and_exit() -> None:
    """Run the command line and exit with its code."""
    warnings.formatwarning = lambda text, *_: f"ougi: warning: {_escape_lines(text)}\n"  # without our source
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run one command; errors that the user can correct have no traceback."""
    try:
        if arguments and arguments[0] in app and {"--help", "-h"} & set(arguments[1:]):
            app[arguments[0]].help = None  # its docstring, which is longer than its line in the list
        result = app(arguments)
        sys.stdout.flush()
    except CycloptsError as error:
        return _fail(_describe_usage_error(error), BAD_INPUT)
    except (MissingExtraError, MissingLabError) as error:
        return _fail(error, MISSING_EXTRA)
    except ModuleNotFoundError as error:
        if found := _find_extra(error.name or ""):
            distribution, extra = found
            return _fail(MissingExtraError(extra, f"the module {error.name}", distribution), MISSING_EXTRA)
        return _report_internal_error()
    except BrokenPipeError:  # the reader of a pipe has closed it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (DeviceError, InvalidInputError, OSError) as error:
        return _fail(error, BAD_INPUT)
    except KeyboardInterrupt:
        return _fail(KeyboardInterrupt("interrupted"), 130)
    except Exception:
        return _report_internal_error()
    return result if isinstance(result, int) else 0


def _find_extra(module: str) -> tuple[str, str] | None:
    """The distribution (ougi or ougi-lab) and its smallest extra that bring a module, by their metadata."""
    wanted = {"fcl": "python-fcl", "warp": "warp-lang", "pygame": "pygame-ce"}.get(module, module).lower()
    for distribution in ("ougi", "ougi-lab"):
        try:
            lines = metadata.requires(distribution) or []
        except metadata.PackageNotFoundError:
            continue
        parts = [re.match(r"""([\w-]+).*extra == ['"](\w+)""", line) for line in lines]
        extras = [(part[1].lower(), part[2]) for part in parts if part]
        sizes = Counter(extra for _, extra in extras)
        if found := [extra for name, extra in extras if name == wanted and extra != "test"]:
            return distribution, min(found, key=sizes.__getitem__)
    return None


def _report_internal_error() -> int:
    """Print the traceback of an error that is no fault of the user."""
    traceback.print_exc()
    return _fail(RuntimeError("internal error: please report it with the lines above"), INTERNAL_ERROR)


def _fail(error: BaseException | str, code: int) -> int:
    print(f"ougi: {_escape_lines(error)}", file=sys.stderr)  # noqa: T201
    return code


def _escape_lines(message: object) -> str:
    """A message without control characters, which names of files and bodies may have."""
    from ougi.scene.problems import escape_controls

    return "\n".join(map(escape_controls, str(message).split("\n")))
