# What the core says to people. {$slot} is filled in by the code; a message id names its area first.
