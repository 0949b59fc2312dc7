"""The agent: turns, tools, sessions and workspaces. It knows no chat product."""
