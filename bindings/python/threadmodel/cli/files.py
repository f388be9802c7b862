# SPDX-License-Identifier: Apache-2.0
"""What commands read and write, and that these are never the same file."""

import os
import re
import stat
import sys
from collections.abc import Iterator
from typing import Any, Final

import click

from threadmodel.tables import ALL_TABLES

# Files that are read or written with another: the rings of a trace, the metadata of a
# contention log.
SUFFIXES_BESIDE: Final = (".rings",)
EXTENSIONS_BESIDE: Final = (".classtable", ".method")
# Folders in which nobody but the kernel and root makes links: not /dev/shm.
_OF_SYSTEM: Final = re.compile(r"/dev|/proc/\d+(/task/\d+)?/fd")


class _Name(click.types.StringParamType):
    name = "file"


class _Folder(click.types.StringParamType):
    name = "folder"


#: Types of parameters: a file that is read, one that is written, and a folder into
#: which tables are written.
INPUT: Final = _Name()
OUTPUT: Final = _Name()
OUTPUT_FOLDER: Final = _Folder()


def without_links(name: str) -> str:
    """Return the path of a file to write, in which no link is.

    Links of folders are followed, and the system's own such as /dev/stdout.

    Raises:
        UsageError: the file is a link: another may have put it there
    """
    folder = os.path.realpath(os.path.dirname(name))
    if _OF_SYSTEM.fullmatch(folder):
        return os.path.realpath(name)
    if os.path.islink(name):
        raise click.UsageError(f"{name!r} is a symbolic link: name the file itself")
    return os.path.join(folder, os.path.basename(name))


class FileCommand(click.Command):
    """A command that writes to nothing that it reads."""

    def invoke(self, context: click.Context) -> Any:
        """Refuse an output that is an input, whatever it is called; then go on."""
        inputs = {_identity(name): name for name in _names(context, INPUT)}
        for name in _names(context, OUTPUT, OUTPUT_FOLDER):
            if (identity := _identity(name)) and identity in inputs:
                raise click.UsageError(f"{name} cannot be read and written at once")
        if (identity := _appends_to(sys.stdout)) and identity in inputs:
            raise click.UsageError("standard output is the file that is read")
        return super().invoke(context)


def _names(
    context: click.Context, *kinds: click.types.StringParamType
) -> Iterator[str]:
    for parameter in context.command.params:
        if parameter.type not in kinds or parameter.name is None:
            continue
        given = context.params.get(parameter.name) or ()
        for name in (given,) if isinstance(given, str) else given:
            if parameter.type is OUTPUT_FOLDER:
                for table in ALL_TABLES:
                    yield from (
                        os.path.join(name, f"{table}.{end}")
                        for end in ("csv", "parquet")
                    )
                continue
            yield name
            yield from (name + suffix for suffix in SUFFIXES_BESIDE)
            yield from (os.path.splitext(name)[0] + end for end in EXTENSIONS_BESIDE)


def _identity(name: str) -> tuple[int, int] | None:
    try:
        facts = os.fstat(0) if name == "-" else os.stat(name)
    except (OSError, ValueError):
        return None
    return _regular(facts)


def _appends_to(stream: Any) -> tuple[int, int] | None:
    try:
        return _regular(os.fstat(stream.fileno()))
    except (OSError, ValueError):
        return None


def _regular(facts: os.stat_result) -> tuple[int, int] | None:
    # A terminal or /dev/null may be both.
    return (facts.st_dev, facts.st_ino) if stat.S_ISREG(facts.st_mode) else None
