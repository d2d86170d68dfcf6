"""The summary of committed reports that `ougi pairs` reads."""

from __future__ import annotations

from ougi.cli.evidence import FILE
from ougi_lab.verify.evidence import format_summary, summarize_reports


def test_the_summary_is_that_of_the_committed_reports() -> None:
    """`python -m ougi_lab.verify.evidence` writes it."""
    assert FILE.read_text(encoding="utf-8") == format_summary(summarize_reports())
