"""What the benchmarks write into the environment of their own process."""

import os
from pathlib import Path


def quiet_crawl4ai(directory: Path) -> None:
    """Keep crawl4ai's files in a directory of ours; to be called before it is imported."""
    os.environ["CRAWL4_AI_BASE_DIRECTORY"] = str(directory)
    os.environ["CRAWL4AI_NO_CLOUD_NOTICE"] = "1"
