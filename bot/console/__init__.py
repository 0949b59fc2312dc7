"""The bot over HTTP: `/healthz` for operators, and a live view of each thread's agents."""
