"""The words in which people name recurring moments, one table a language."""
