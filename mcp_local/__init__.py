"""The local toolkit: an MCP server over stdio, in a process of its own."""
