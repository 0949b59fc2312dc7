"""Prints every requirement with the tests that prove it."""

import sys
from pathlib import Path

from tests.proofs import read_proofs
from tests.requirements import REQUIREMENTS, table

if __name__ == "__main__":
    sys.stdout.write(table(REQUIREMENTS, read_proofs(Path(__file__).parents[2])))
