"""Measure proof systems on one statement, under one clock, with stated uncertainty."""

__version__ = "0.2.0"
