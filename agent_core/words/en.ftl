# What the core says to people. {$slot} is filled in by the code; a message id names its area first.

## Schedules: rules and moments in words

schedule-locale = en_GB
schedule-date = EEEE d MMMM y
schedule-moment = ccc d MMMM y, HH:mm
rule-every = { $kind ->
    [day] every day
    [workday] every weekday
    [weekend] every weekend
   *[days] every { $days }
 }
rule-weeks-apart = every { $n } weeks on { $days }
rule-days-apart = every { $n } days
rule-elapsed = { $unit ->
    [HOURLY] { $n ->
        [1] every hour
       *[other] every { $n } hours
     }
   *[MINUTELY] { $n ->
        [1] every minute
       *[other] every { $n } minutes
     }
 }
rule-workday = weekday
rule-day = day
rule-nth = on the { $nth } { $day } of each month
rule-on-nth = on the { $nth } { $day }
rule-ordinal = { $n ->
    [1] first
    [2] second
    [3] third
    [4] fourth
    [5] fifth
    [-1] last
    [-2] second to last
   *[other] { rule-date }
 }
rule-date = { $n ->
    [1] 1st
    [2] 2nd
    [3] 3rd
    [21] 21st
    [22] 22nd
    [23] 23rd
    [31] 31st
   *[other] { $n }th
 }
rule-month-day = on the { $days } of each month
rule-on-month-day = on the { $days }
rule-months-apart = every { $n } months { $on }
rule-quarterly = every quarter { $on }
rule-yearly = { $n ->
    [1] every year on { $day } { $month }
   *[other] every { $n } years on { $day } { $month }
 }
rule-only-in = { $recurrence } in { $months }
rule-times = at { $times }
rule-until = until { $day }
rule-starting = from { $day }
