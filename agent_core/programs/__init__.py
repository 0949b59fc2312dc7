"""Programs that a model writes: the `run_python` tool, its interpreter, and charts.

The door of this room: other rooms import from here alone. Read `interpreter.py` first.
"""

from agent_core.programs.interpreter import MAX_PROMPT_CHARS, Interpreter, ProgramLimits
from agent_core.programs.run_python import RUN_PYTHON, RunPython

__all__ = ["MAX_PROMPT_CHARS", "RUN_PYTHON", "Interpreter", "ProgramLimits", "RunPython"]
