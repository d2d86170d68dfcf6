"""First contacts of moving shapes. `engine.py` decides how each one is computed, for every front end."""

from ougi.impact.queries import Prediction, predict, time_of_impact
from ougi.results import FirstContacts, Status

__all__ = ["FirstContacts", "Prediction", "Status", "predict", "time_of_impact"]
