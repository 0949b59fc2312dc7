"""The hub withstands its servers, and few of many tools are in sight (issue E, items 6 and 11)."""

ROWS = """
RELIABILITY R18
    hub.local: A server that cannot be had costs its own tools alone, and its reason is kept.
RELIABILITY F-M1
    hub.dead: A server that dies during a call is started again; only reads are made again.
    hub.restarts: A server that keeps dying is left alone for the rest of the minute.
RELIABILITY F-M2
    hub.hang: A server that hangs at its start, its list or a call is left at the limit of each.
    hub.group: A server's whole process group ends with it.
RELIABILITY F-M3
    hub.noise: Log lines on stdout are ignored.
    hub.stderr: Of a flood on stderr the last 64 KB are kept, and it blocks nothing.
RELIABILITY F-M4
    hub.giant: A giant result is cut while it arrives, compressed or not, and says so.
    hub.items: Ten thousand items are one text, kept on disk and shown in part.
    hub.picture: A giant picture is named and not carried.
    hub.saved: What was kept of a giant result is in the session's directory.
RELIABILITY F-M5
    hub.malformed: A malformed tool is left out, and the server's others are kept.
RELIABILITY F-M6
    hub.names: Names fit the providers and stay apart; of two that collide the second is refused.
    hub.few_in_sight: Of 500 tools a core is shown, below 3,000 tokens in all.
    hub.found: find_tools finds the right tool by what it does.
RELIABILITY F-M7
    hub.list_storm: A storm of announcements costs one listing, at the next need.
RELIABILITY F-M8
    hub.dead_far: A server over HTTP that dies during a call ends the call at once.
    hub.stall: A silent server, a broken line and endless signs of life end at our own limit.
RELIABILITY F-M9
    hub.unauthorized: A 401 starts the session anew once, and the call runs at most once.
    hub.session_lost: A session that the server lost is made anew, and the call runs once.
    hub.no_get: A server that offers no stream of its own works all the same.
    hub.redirect: A redirect never carries the key to another origin.
RELIABILITY F-M10
    hub.progress: Progress for ever ends at the call's limit, is cancelled and seldom told.
RELIABILITY F-M11
    hub.long_error: A failure with a huge trace is short to the model and whole on disk.
RELIABILITY F-M12
    hub.asks_nothing: A server that asks for sampling, elicitation or roots is refused.
"""
