"""A page's main text, taken in a process of its own so that no page can stall or crash us."""
