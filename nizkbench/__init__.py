"""Measure proof systems on one statement, under one clock, with stated uncertainty."""

__version__ = "0.1.0"
