"""The papers' own procedures, with their errata repaired; for experiments, never in the default tables.

`fan` is the master's dissertation (FAN), `fan2d` its predecessor (FAN2D). Each function has the name
of the kernel that is used by default.
"""
