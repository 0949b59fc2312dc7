"""Claims of a text checked against the sources they cite: by value, not by spelling.

`check_claim` reads figures and dates (`figures`), quotations, names and opposites (`wording`).
"""
