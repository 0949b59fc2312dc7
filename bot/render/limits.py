"""Every limit of Slack that our posts respect, in characters unless the name says otherwise."""

from typing import Final

TEXT_CHARS: Final = 3_900
"""Text of one post. Slack advises 4,000, refuses longer edits, and cuts posts at 40,000."""

BLOCKS_PER_POST: Final = 50
SECTION_CHARS: Final = 3_000
BLOCK_TEXT_CHARS: Final = 12_000
"""Text over all blocks of a post; Slack's undocumented wall stands at about 13,200."""

TABLES_PER_POST: Final = 1
TABLE_ROWS: Final = 100
TABLE_COLUMNS: Final = 20
TABLE_CHARS: Final = 3_000
"""Ours: a bigger table is easier to read in the report, and the fallback text must hold it too."""

ANSWER_POSTS: Final = 10
ANSWER_CHARS: Final = 40_000
"""Ours: a longer answer is posted so far and added whole as a file."""

PLAN_CARDS: Final = 6
PROGRESS_WORD_CHARS: Final = 60
"""Of a foreign text (a query, a title) inside a line of progress."""
CARD_SOURCES: Final = 4
SOURCE_URL_CHARS: Final = 300
MENU_OPTIONS: Final = 5
OPTION_VALUE_CHARS: Final = 150

LABEL_CHARS: Final = 75
TITLE_CHARS: Final = 24
"""Of a form, and of its buttons."""

OPTION_CHARS: Final = 300
"""Of one answer to choose from."""

FILE_NAME_BYTES: Final = 120
FILE_TITLE_CHARS: Final = 200
FILE_BYTES: Final = 50_000_000
COMMENT_CHARS: Final = 500
