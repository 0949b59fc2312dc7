"""The apps of the stand-in: one file for each, its data beside its tools."""
