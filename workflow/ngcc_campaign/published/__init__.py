"""Figures that others have published, and what they are to those measured here."""
