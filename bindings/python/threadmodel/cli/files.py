# SPDX-License-Identifier: Apache-2.0
"""Files that commands read and write, which are never the same."""

import fcntl
import glob
import os
import re
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

import click

from threadmodel.tables import ALL_TABLES

# Endings of files that belong to another file: the rings of a trace, the metadata of a
# contention log.
SUFFIXES_BESIDE: Final = (".rings",)
EXTENSIONS_BESIDE: Final = (".classtable", ".method")
# Folders in which only the kernel and root make links; not /dev/shm.
_OF_SYSTEM: Final = re.compile(r"/dev|/proc/\d+(/task/\d+)?/fd")


class Named(click.types.StringParamType):
    """The type of a parameter that names files to read or to write."""

    def __init__(
        self,
        name: str,
        *,
        is_read: bool,
        files: Callable[[str], Iterable[str]],
        is_produced: bool = False,
    ) -> None:
        """``files`` returns the files for a value of the command line.

        ``is_produced``: another program, a producer, writes them.
        """
        self.name = name
        self.is_read: Final = is_read
        self.is_produced: Final = is_produced
        self.files: Final = files


def _with_others(name: str) -> Iterator[str]:
    yield name
    yield from (name + suffix for suffix in SUFFIXES_BESIDE)
    yield from (os.path.splitext(name)[0] + end for end in EXTENSIONS_BESIDE)


def _tables(folder: str) -> Iterator[str]:
    for table in ALL_TABLES:
        for end in ("csv", "parquet"):
            yield os.path.join(folder, f"{table}.{end}")


def _pages(folder: str) -> Iterator[str]:
    return glob.iglob(os.path.join(glob.escape(folder), "*.html"))


def local(url: str) -> str:
    """Return the path on this machine that fsspec takes from a URL."""
    return os.path.expanduser(re.sub("^(?:file|local):(?://)?", "", url))


def _of_dataset(url: str) -> Iterator[str]:
    folder = local(url)
    yield os.path.join(folder, "lock")
    for name in ("dataset.json", "unfinished.json"):
        yield os.path.join(folder, name)
        yield os.path.join(folder, f"{name}.new")
    yield from glob.iglob(os.path.join(glob.escape(folder), "part-*", "*.parquet"))


def _of_options(options: str) -> Iterator[str]:
    for option in options.split(","):
        key, _, value = option.partition("=")
        if key == "token":
            yield value


#: Types of parameters for files to read and to write.
INPUT: Final = Named("file", is_read=True, files=_with_others)
OUTPUT: Final = Named("file", is_read=False, files=_with_others)
#: A trace that a producer writes; it checks itself whether another one does.
TRACE: Final = Named("file", is_read=False, files=_with_others, is_produced=True)
#: Options of the JVM agent that name files to read.
AGENT_OPTIONS: Final = Named("agent", is_read=True, files=_of_options)
#: A file that fsspec reads.
INPUT_URL: Final = Named("file", is_read=True, files=lambda url: (local(url),))
#: Folders for tables, for reports of runs, and for files with new names only.
OUTPUT_FOLDER: Final = Named("folder", is_read=False, files=_tables)
OUTPUT_PAGES: Final = Named("folder", is_read=False, files=_pages)
OUTPUT_NEW: Final = Named("folder", is_read=False, files=lambda folder: ())
#: A dataset of `threadmodel fleet`.
INPUT_DATASET: Final = Named("dataset", is_read=True, files=_of_dataset)
OUTPUT_DATASET: Final = Named("dataset", is_read=False, files=_of_dataset)


def without_links(name: str) -> str:
    """Return the path of a file to write, without links.

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
    """A command that never writes to a file that it reads."""

    def invoke(self, context: click.Context) -> Any:
        """Refuse an output that is an input or that another program writes."""
        written = [*_names(context, is_read=False)]
        read = (name for _, name in _names(context, is_read=True))
        refuse_same((name for _, name in written), read)
        for kind, name in written:
            if not kind.is_produced:
                refuse_locked(name)
        return super().invoke(context)


def refuse_same(written: Iterable[str], read: Iterable[str]) -> None:
    """Refuse to write to a file that is read, or to print to it.

    Raises:
        UsageError: one of the files is both
    """
    outputs = {_identity(name): name for name in written}
    printed = _appends_to(sys.stdout)
    # Usually the output does not exist yet.
    if not printed and not any(outputs):
        return
    inputs = {identity for name in read if (identity := _identity(name))}
    for identity, name in outputs.items():
        if identity in inputs:
            raise click.UsageError(f"{name} cannot be read and written at once")
    if printed in inputs:
        raise click.UsageError("standard output is the file that is read")


def refuse_locked(name: str) -> None:
    """Refuse to replace a trace that a producer is writing.

    Raises:
        UsageError: it is locked
    """
    if not os.path.isfile(name):
        return
    try:
        with open(name, "rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        raise click.UsageError(f"{name} is being recorded") from None
    except OSError:
        # A file that can be neither read nor locked is refused when it is written.
        return


def _names(context: click.Context, *, is_read: bool) -> Iterator[tuple[Named, str]]:
    for parameter in context.command.params:
        kind = parameter.type
        if not isinstance(kind, Named) or kind.is_read != is_read:
            continue
        given = context.params.get(parameter.name or "") or ()
        for name in (given,) if isinstance(given, str) else given:
            yield from ((kind, file) for file in kind.files(name))


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
