"""How what people say reaches the bot: the ledger, what was missed, the socket (issue C)."""

ROWS = """
RELIABILITY R1
    ledger.before_ack: A gesture is acknowledged when it is durable, and not earlier.
RELIABILITY R2
    ledger.ack_in_time: A gesture is acknowledged in time while Slack's Web API hangs.
RELIABILITY R3
    ledger.one_turn: A gesture is one turn in each of the four shapes of a duplicate.
RELIABILITY R4
    ledger.retry_used: A retry is handled where the first delivery could not be recorded.
RELIABILITY F-S8
    ledger.lost_ack: An acknowledgement that is lost on its way leads to one answer.
RELIABILITY F-D2
    ledger.disk_full: A gesture that a full disk cannot take is not acknowledged.
issue C §Ledger before ack
    ledger.kept: A gesture is known for 24 hours, and for as long as it is not handed over.
    ledger.taken_up: What was recorded and not handed over is taken up again, also after a death.
    ledger.told_once: Where a hand-over keeps failing, its author is told once.
    ledger.order: Posts of a thread are handed over in their order, however long one takes.

RELIABILITY R5
    catch_up.answered: What was missed within a day is answered once, oldest first.
    catch_up.notice: What is older is listed once, in its own conversation, and not answered.
issue C §Catch-up
    catch_up.everywhere: Replies and direct messages are found as well as mentions.
    catch_up.cursor: Each conversation is read from where it was last heard, also after a restart.
    catch_up.in_order: A new reply waits for what was missed in its thread.
    catch_up.interrupted: A bot that ends while it catches up loses nothing.

RELIABILITY R6
    socket.deaf: A deaf socket is noticed within 30 seconds and healed within 60.
    socket.healthz: /healthz fails, with the reason, while the socket is not well.
RELIABILITY R7
    socket.one: However often the socket is replaced, one is open in the end.
RELIABILITY F-S1
    socket.notice: On Slack's notice the new socket opens first, and nothing is lost.
RELIABILITY F-S2
    socket.to_be_mended: What only a person can mend is said once, and looked at each minute.
RELIABILITY F-S3
    socket.too_many: With too many sockets the bot waits 5 to 60 seconds, longer each time.
RELIABILITY F-S4
    socket.pings: Pings that nobody answers count, whatever else comes over the socket.
RELIABILITY F-S5
    socket.quiet: A quiet socket is left alone, and a token that was taken away is found out.
RELIABILITY F-S6
    socket.closed_session: A closed HTTP session is replaced and not used again.
RELIABILITY F-S7
    socket.odd_frames: Frames and events that nobody can read cost nothing else.
RELIABILITY F-P3
    socket.outage: An outage of ten minutes, or of the names, is outlasted.
"""
