"""The only opener of foreign URLs: addresses are checked when dialled, pages are bounded."""
