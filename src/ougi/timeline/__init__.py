"""Bodies over time: groups, spans with one motion each, swept boxes, first contacts, repeated contacts."""

from ougi.timeline.contacts import Contacts
from ougi.timeline.groups import BodyGroup, join_groups
from ougi.timeline.timeline import PairQuery, Timeline

__all__ = ["BodyGroup", "Contacts", "PairQuery", "Timeline", "join_groups"]
