# What the core says to people. {$slot} is filled in by the code; a message id names its area first.

## Schedules: rules and moments in words

schedule-locale = es
schedule-date = EEEE d 'de' MMMM 'de' y
schedule-moment = ccc d 'de' MMMM 'de' y, HH:mm
rule-every = { $kind ->
    [day] cada día
    [workday] cada día laborable
    [weekend] cada fin de semana
   *[days] cada { $days }
 }
rule-weeks-apart = cada { $n } semanas el { $days }
rule-days-apart = cada { $n } días
rule-elapsed = { $unit ->
    [HOURLY] { $n ->
        [1] cada hora
       *[other] cada { $n } horas
     }
   *[MINUTELY] { $n ->
        [1] cada minuto
       *[other] cada { $n } minutos
     }
 }
rule-workday = día laborable
rule-day = día
rule-nth = el { $nth } { $day } de cada mes
rule-on-nth = el { $nth } { $day }
rule-ordinal = { $n ->
    [1] primer
    [2] segundo
    [3] tercer
    [4] cuarto
    [5] quinto
    [-1] último
    [-2] penúltimo
   *[other] { rule-date }
 }
rule-date = { $n }
rule-month-day = el { $days } de cada mes
rule-on-month-day = el { $days }
rule-months-apart = cada { $n } meses { $on }
rule-quarterly = cada trimestre { $on }
rule-yearly = { $n ->
    [1] cada año el { $day } de { $month }
   *[other] cada { $n } años el { $day } de { $month }
 }
rule-only-in = { $recurrence } en { $months }
rule-times = a las { $times }
rule-until = hasta el { $day }
rule-starting = a partir del { $day }
