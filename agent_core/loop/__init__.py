"""The loop: steps of one model call and its tool calls, until an answer or a limit."""
