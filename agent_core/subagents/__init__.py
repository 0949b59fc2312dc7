"""Sub-agents: definitions as Markdown files, and the `Task` tool that delegates to them."""
