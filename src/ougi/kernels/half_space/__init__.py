"""Half-spaces against bodies that have a support point: distances and first contacts, by closed forms.

Nothing outside of this folder depends on it but the tables of pairs with half-spaces.
"""
