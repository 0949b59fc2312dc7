"""Evaluation of the configured model by scenarios, each played by the real bot in the sandbox.

Read `scenarios.py` for what a scenario asks, then `trial.py` for how one is played.
"""
