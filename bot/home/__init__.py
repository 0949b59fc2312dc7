"""What people see and do around their threads: App Home, the slash command, feedback."""
