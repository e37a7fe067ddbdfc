"""Errors that a person can act on."""

import errno

#: What the system says when nothing more fits: disk, quota, largest file.
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class NizkBenchError(Exception):
    """An expected failure; its message is one sentence for the person who can act on it."""
