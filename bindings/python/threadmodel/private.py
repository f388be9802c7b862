# SPDX-License-Identifier: Apache-2.0
"""Files that only their owner can read, in folders where others may write."""

import errno
import os
import secrets
import stat
from typing import BinaryIO, Final

_NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def owner_only(path: str, flags: int) -> int:
    """Open a file for `open(..., opener=owner_only)`: a new one has mode 600.

    Reports and tables name hosts, classes and the arguments of a command line.
    """
    return os.open(path, flags | os.O_CLOEXEC, 0o600)


def create(path: str | os.PathLike[str], buffering: int = -1) -> BinaryIO:
    """Make a file in place of one of that name, and open it for writing.

    It has its name from the beginning. A program that has the old file open keeps its
    content. A pipe, or anything else that is not a regular file, is opened as it is.

    Raises:
        OSError: it cannot be made, or the name is that of a symbolic link
    """
    name = os.fspath(path)
    try:
        mode = os.lstat(name).st_mode
    except FileNotFoundError:
        mode = stat.S_IFREG
    if stat.S_ISLNK(mode):
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), name)
    if not stat.S_ISREG(mode):
        return open(name, "wb", buffering=buffering)
    made = f"{name}.{secrets.token_hex(8)}.new"
    descriptor = os.open(made, _NEW, 0o600)
    try:
        os.rename(made, name)
    except BaseException:
        os.unlink(made)
        os.close(descriptor)
        raise
    return open(name, "wb", buffering=buffering, opener=lambda *_: descriptor)


def open_foreign(path: str | os.PathLike[str]) -> BinaryIO:
    """Open a regular file for reading that another program made.

    Raises:
        OSError: it does not exist, or is a link, a pipe, a device or a folder
    """
    return _open_regular(path, os.O_NOFOLLOW)


def open_regular(path: str | os.PathLike[str]) -> BinaryIO:
    """Open a regular file for reading, or a link to one.

    Raises:
        OSError: it does not exist, or is a pipe, a device or a folder
    """
    return _open_regular(path, 0)


def _open_regular(path: str | os.PathLike[str], flags: int) -> BinaryIO:
    # Without O_NONBLOCK, to open a pipe would wait for a writer.
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | flags)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "not a regular file", os.fspath(path))
    return open(descriptor, "rb")
