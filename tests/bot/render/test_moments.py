from datetime import datetime, timedelta, timezone

from bot.render import local_time


def test_a_moment_is_shown_in_the_readers_zone_and_in_utc_where_that_is_not_known() -> None:
    moment = datetime(2026, 11, 21, 23, 30, tzinfo=timezone(timedelta(hours=-2)))

    shown = local_time(moment)
    assert shown == "<!date^1795311000^{date_short_pretty}, {time}|2026-11-22 01:30 UTC>"
    assert int(moment.timestamp()) == 1795311000
