# SPDX-License-Identifier: Apache-2.0
"""Facts of running processes, from /proc of Linux."""

import os
import pwd
from pathlib import Path

from threadmodel.errors import AttachError


def status(pid: int) -> dict[str, str]:
    """Return the fields of /proc/PID/status."""
    try:
        text = Path(f"/proc/{pid}/status").read_text(errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        raise AttachError(f"there is no process {pid}") from None
    except OSError as failure:
        raise AttachError(f"process {pid}: {failure.strerror}") from None
    return {
        key: value.strip()
        for key, _, value in (line.partition(":") for line in text.splitlines())
    }


def state(pid: int) -> str:
    """Return the letter of its state; "": it has ended."""
    try:
        return status(pid).get("State", "?")[:1]
    except AttachError:
        return ""


def maps(pid: int) -> str:
    """Return the files that a process has mapped, one a line."""
    try:
        return Path(f"/proc/{pid}/maps").read_text(errors="surrogateescape")
    except (FileNotFoundError, ProcessLookupError):
        raise AttachError(f"process {pid} has ended") from None
    except OSError as failure:
        raise AttachError(
            f"process {pid}: what it has loaded cannot be seen: {failure.strerror}"
        ) from None


def arguments(pid: int) -> list[str]:
    """Return its command line; empty: it has ended, or belongs to another user."""
    try:
        return os.fsdecode(Path(f"/proc/{pid}/cmdline").read_bytes()).split("\0")
    except OSError:
        return []


def user(number: int) -> str:
    """Return the name of a user as messages write it."""
    try:
        return f"user {pwd.getpwuid(number).pw_name}"
    except KeyError:
        return f"user {number}"
