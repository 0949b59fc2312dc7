"""Claims checked against their sources: by value and in any form, not by spelling.

Read `check.check_claim` first. `figures` and `dates` read what a sentence counts, `names` whom it
names; `evidence` is a source made ready, and knows which of its sentences speak of a claim.
"""
