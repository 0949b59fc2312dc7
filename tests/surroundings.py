"""What a run of the tests has around it, so that no time goes into what no test asks about."""

import os
import tempfile
from pathlib import Path

MEMORY = "/dev/shm"  # noqa: S108 (no file of a fixed name is made there)
MIN_FREE_BYTES = 4 * 2**30
AUTHORITIES = "SSL_CERT_DIR"
NO_AUTHORITIES = str(Path(__file__).parent)


def keep_files_in_memory() -> None:
    """Temporary files of tests and of what they start: on a disk each commit waits for 5 ms.

    A container's own has room for nothing, or runs no program: there they stay where they are.
    """
    try:
        memory = os.statvfs(MEMORY)
    except OSError:
        return
    if memory.f_bavail * memory.f_frsize >= MIN_FREE_BYTES and not memory.f_flag & os.ST_NOEXEC:
        os.environ["TMPDIR"] = tempfile.tempdir = MEMORY  # noqa: TID251


def trust_no_authority() -> None:
    """Everything is on loopback without TLS, and to read all authorities costs a client 20 ms."""
    os.environ.setdefault(AUTHORITIES, NO_AUTHORITIES)  # noqa: TID251


def trust_authorities_again() -> None:
    """For what asks somebody outside after all."""
    if os.environ.get(AUTHORITIES) == NO_AUTHORITIES:  # noqa: TID251
        del os.environ[AUTHORITIES]  # noqa: TID251
