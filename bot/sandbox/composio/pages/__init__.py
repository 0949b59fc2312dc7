"""The pages that the stand-in shows to people: consent behind a link, and their mailbox."""
