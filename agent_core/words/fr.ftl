# What the core says to people. {$slot} is filled in by the code; a message id names its area first.

## Schedules: rules and moments in words

schedule-locale = fr
schedule-date = EEEE d MMMM y
schedule-moment = ccc d MMMM y, HH:mm
rule-every = { $kind ->
    [day] chaque jour
    [workday] chaque jour ouvré
    [weekend] chaque week-end
   *[days] chaque { $days }
 }
rule-weeks-apart = toutes les { $n } semaines le { $days }
rule-days-apart = tous les { $n } jours
rule-elapsed = { $unit ->
    [HOURLY] { $n ->
        [1] toutes les heures
       *[other] toutes les { $n } heures
     }
   *[MINUTELY] { $n ->
        [1] toutes les minutes
       *[other] toutes les { $n } minutes
     }
 }
rule-workday = jour ouvré
rule-day = jour
rule-nth = le { $nth } { $day } du mois
rule-on-nth = le { $nth } { $day }
rule-ordinal = { $n ->
    [1] premier
    [2] deuxième
    [3] troisième
    [4] quatrième
    [5] cinquième
    [-1] dernier
    [-2] avant-dernier
   *[other] { rule-date }
 }
rule-date = { $n }
rule-month-day = le { $days } de chaque mois
rule-on-month-day = le { $days }
rule-months-apart = tous les { $n } mois { $on }
rule-quarterly = chaque trimestre { $on }
rule-yearly = { $n ->
    [1] chaque année le { $day } { $month }
   *[other] tous les { $n } ans le { $day } { $month }
 }
rule-only-in = { $recurrence } en { $months }
rule-times = à { $times }
rule-until = jusqu'au { $day }
rule-starting = à partir du { $day }
