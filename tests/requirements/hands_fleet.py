"""Definitions are pinned, and the fleet comes from a file and a catalogue (issue E, 9 and 10)."""

ROWS = """
RELIABILITY R20
    pins.changed: A tool whose description, schema or annotation changed is off until accepted.
    pins.renamed: A new name on a known server is off until accepted.
    pins.live: A change while the server runs, or over its restart, stops the next call.
    pins.accept: Exactly what was shown is accepted, and the running bot offers it.
    pins.secrets: A tool that asks for keys or private files is off until accepted.
seeds/003 §Overview
    fleet.shipped: The five named servers are there and off with what they need.
    fleet.file: A server of the file gets its own variables and nothing else of the environment.
    fleet.one_off: What is wrong with one server turns that one off, with the reason.
    fleet.broken: A broken file is refused with line and reason.
    fleet.first_use: A server whose tools are known is started at its first call.
    fleet.workspace: A session's process works in the session's directory and ends when idle.
    fleet.limits: Who may not use a server neither sees nor calls it.
seeds/001 §Domain Blacklist Tracking
    fleet.blacklist: A page that the reader service did not find counts against its domain.
"""
