"""Files between a session and Composio: its remote workbench and its storage."""
