"""Check a whole scene: contacts with time and place, and what other methods would have reported."""

from ougi.checks.check_scene import check
from ougi.checks.frame_methods import Method
from ougi.checks.report import Comparison, Enclosed, Report

__all__ = ["Comparison", "Enclosed", "Method", "Report", "check"]
