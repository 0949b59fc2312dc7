"""Every limit of Slack that our posts respect, in characters unless the name says otherwise."""

TEXT_CHARS = 3_900
"""Text of one post. Slack advises 4,000, refuses longer edits, and cuts posts at 40,000."""

BLOCKS_PER_POST = 50
BLOCKS_PER_VIEW = 100
SECTION_CHARS = 3_000
MARKDOWN_CHARS = 8_000
"""Ours, of one post's Markdown: Slack takes 12,000 in blocks, and fewer bytes in a stream."""
BLOCK_TEXT_CHARS = 12_000
"""Text over all blocks of a post; Slack's undocumented wall stands at about 13,200."""

TABLE_ROWS = 100
TABLE_COLUMNS = 20
TABLE_CHARS = 9_000
"""Over all cells of one table; Slack takes about 10,000 in both of its kinds."""
DATA_TABLE_LEAST_ROWS = 2
DATA_TABLE_ROWS = 201
"""With the head."""
DATA_TABLE_PAGE = 20
"""Ours: rows that are seen at once; Slack allows 100."""
DATA_TABLES_PER_POST = 10
CAPTION_CHARS = 75
CHARTS_PER_POST = 2
CHART_POINTS = 12
"""Ours, as the next; Slack allows 20 points, and 6 or 12 series: it says both."""
CHART_SERIES = 3
CHART_LABEL_CHARS = 20
CHART_TITLE_CHARS = 50

STREAM_BYTES = 9_000
"""Of a stream's whole text in UTF-8; Slack was measured to refuse more than about 10,600."""
STREAM_S = 250.0
"""A stream's life; Slack seals it after five minutes, whatever comes."""

ANSWER_POSTS = 4
ANSWER_CHARS = 40_000
"""Ours: a longer answer is posted so far and added whole as a file."""

PLAN_CARDS = 6
PROGRESS_WORD_CHARS = 60
"""Of a foreign text (a query, a title) inside a line of progress."""
CARD_SOURCES = 4
SOURCE_URL_CHARS = 300
MENU_OPTIONS = 5
OPTION_VALUE_CHARS = 150

LABEL_CHARS = 75
FOLLOW_UPS = 3
"""Ours, of one report."""
TITLE_CHARS = 24
"""Of a form, and of its buttons."""

OPTION_CHARS = 300
"""Of one answer to choose from."""

FILE_NAME_BYTES = 120
FILE_TITLE_CHARS = 200
FILE_BYTES = 50_000_000
POST_FILES = 20
POST_BYTES = 100_000_000
"""Of one post's files together; they are in memory one at a time."""
NAMED_FILES = 5
"""Of those that could not be attached; the others are counted."""
COMMENT_CHARS = 500
