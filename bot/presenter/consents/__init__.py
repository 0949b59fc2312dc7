"""What people are asked to allow: approvals and connections, as posts of a thread."""
