"""How people say when something recurs, in four languages: from a text to a rule, and back."""
