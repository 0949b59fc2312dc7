"""What people do about approvals and connections: their presses and forms, handed to the core."""
