"""A whole scene checked: what touches what, when and where, and what other methods would have reported."""

from ougi.checks.check_scene import check
from ougi.checks.engines import Method
from ougi.checks.report import Comparison, Enclosed, Report, Touches

__all__ = ["Comparison", "Enclosed", "Method", "Report", "Touches", "check"]
