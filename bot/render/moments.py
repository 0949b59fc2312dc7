"""Moments as Slack shows them: in the reader's own time zone and language. Pure."""

from datetime import UTC, datetime


def local_time(moment: datetime) -> str:
    """Day and time for whoever reads it; in UTC where nobody's zone is known."""
    plain = moment.astimezone(UTC).strftime("%Y-%m-%d %H:%M UTC")
    return f"<!date^{int(moment.timestamp())}^{{date_short_pretty}}, {{time}}|{plain}>"
