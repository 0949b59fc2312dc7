# What the core says to people. {$slot} is filled in by the code; a message id names its area first.

## Schedules: rules and moments in words

schedule-locale = de
schedule-date = EEEE, d. MMMM y
schedule-moment = ccc, d. MMMM y, HH:mm
rule-every = { $kind ->
    [day] jeden Tag
    [workday] jeden Werktag
    [weekend] jedes Wochenende
   *[days] jeden { $days }
 }
rule-weeks-apart = alle { $n } Wochen am { $days }
rule-days-apart = alle { $n } Tage
rule-elapsed = { $unit ->
    [HOURLY] { $n ->
        [1] jede Stunde
       *[other] alle { $n } Stunden
     }
   *[MINUTELY] { $n ->
        [1] jede Minute
       *[other] alle { $n } Minuten
     }
 }
rule-workday = Werktag
rule-day = Tag
rule-nth = am { $nth } { $day } jedes Monats
rule-on-nth = am { $nth } { $day }
rule-ordinal = { $n ->
    [1] ersten
    [2] zweiten
    [3] dritten
    [4] vierten
    [5] fünften
    [-1] letzten
    [-2] vorletzten
   *[other] { rule-date }
 }
rule-date = { $n }.
rule-month-day = am { $days } jedes Monats
rule-on-month-day = am { $days }
rule-months-apart = alle { $n } Monate { $on }
rule-quarterly = jedes Quartal { $on }
rule-yearly = { $n ->
    [1] jedes Jahr am { $day }. { $month }
   *[other] alle { $n } Jahre am { $day }. { $month }
 }
rule-only-in = { $recurrence } im { $months }
rule-times = um { $times } Uhr
rule-until = bis { $day }
rule-starting = ab { $day }
