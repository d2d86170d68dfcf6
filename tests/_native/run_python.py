"""Programs in processes of their own."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap


def run_python(code: str, **environment: str) -> str:
    """The output of a Python program in a process of its own."""
    env = {**os.environ, **environment}
    env = {name: value for name, value in env.items() if value != "<unset>"}
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], env=env, capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()
