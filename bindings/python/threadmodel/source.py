# SPDX-License-Identifier: Apache-2.0
"""Reading files of any format that the library knows; their content decides."""

import os
import warnings
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from threadmodel import errors, relay
from threadmodel._library import (
    MAX_INT64,
    c_string,
    check,
    error,
    ffi,
    lib,
    options,
    path_bytes,
    text,
    whole,
)
from threadmodel.model import Model
from threadmodel.run import Run
from threadmodel.sink import Sink


class Progress(NamedTuple):
    """The progress of reading a file.

    Attributes:
        position_bytes: read so far
        length_bytes: of the file; 0: not known (a pipe)
    """

    position_bytes: int
    length_bytes: int


Listener = Callable[[Progress], object]
Path = str | os.PathLike[str]


def _chunks_in(folder: str) -> list[str]:
    """Return the recordings that lie in a folder, in their order in time."""
    found = sorted(
        name for name in os.listdir(folder) if name.endswith((".jfr", ".jfr.part"))
    )
    # The JVM may still be writing its newest chunk, which may be empty.
    chunks = [os.path.join(folder, name) for name in found]
    return [chunk for chunk in chunks if os.path.getsize(chunk)]


def recordings_in(path: str | os.PathLike[str]) -> list[str | os.PathLike[str]]:
    """Return the chunks in the folder of a JFR repository, or the path of a file.

    The folder that JVMs are configured with has a folder for each JVM.
    """
    if not os.path.isdir(path):
        return [path]
    folder = os.fspath(path)
    chunks = _chunks_in(folder)
    within = (
        [] if chunks else sorted(it.path for it in os.scandir(folder) if it.is_dir())
    )
    within = [it for it in within if _chunks_in(it)]
    if len(within) > 1:
        raise errors.FormatError(
            f"{folder}: a folder with recordings of {len(within)} JVMs: name one of "
            f"{', '.join(within)}"
        )
    if within:
        chunks = _chunks_in(within[0])
    if not chunks:
        raise errors.FormatError(f"{folder}: a folder without recordings, *.jfr")
    return list(chunks)


def open_source(names: Sequence[bytes], choices: Any = ffi.NULL) -> Any:
    """Open files by these names; ``choices`` holds all of them but the first."""
    out = ffi.new("tm_source **")
    code = lib.tm_source_open(out, names[0], choices)
    if code < 0:
        failure = error(code)
        if code == lib.TM_EIO and not all(map(os.path.exists, names)):
            raise errors.MissingFileError(*failure.args)
        raise failure
    return ffi.gc(out[0], lib.tm_source_close)


def read(
    path: Path | Sequence[Path],
    sink: Sink,
    progress: Listener | None = None,
    *,
    dialect: str | None = None,
    time_unit_ns: int = 0,
    with_paths: bool = False,
) -> str | None:
    """Read a file into any sink: a model, or a trace writer to convert it.

    Args:
        path: of a file, or of anything that can be read; or several, of thread dumps
            or recordings, which are read as one, in the order of their times
        sink: gets definitions and events
        progress: called after each part, ten to some hundred thousand events
        dialect: the file is a contention log, with these changes to its lines' fields
        time_unit_ns: of TPTP XML, which states none; 0: seconds
        with_paths: of JFR: files appear by their paths, not by hashes of these

    Returns:
        What is missing of a damaged file, in one line; None: nothing

    Raises:
        MissingFileError: there is no such file (a FileNotFoundError)
        InputOutputError: it cannot be read (an OSError)
        FormatError: it is of no known format, or empty (a ValueError)
        UnsupportedError: several files that cannot be read as one
        NewerVersionError: a newer release wrote it (a ValueError)
        InvalidArgumentError: the dialect is invalid (a ValueError)
    """
    given = [path] if isinstance(path, (str, os.PathLike)) else list(path)
    paths = [file for one in given for file in recordings_in(one)]
    if not paths:
        raise errors.InvalidArgumentError("no path to read from")
    names = [path_bytes(one) for one in paths]
    others = [ffi.new("char[]", name) for name in names[1:]]
    choices = options(
        "tm_source_options",
        dialect=ffi.NULL if dialect is None else c_string(dialect, "dialect"),
        time_unit_ns=whole(time_unit_ns, "time_unit_ns", MAX_INT64),
        flags=lib.TM_SOURCE_PATHS if with_paths else 0,
        more_count=len(others),
    )
    more = ffi.new("char *[]", others)
    choices.more_paths = more if others else ffi.NULL
    source = open_source(names, choices)
    length = lib.tm_source_length_bytes(source)
    sink.define_run(
        Run(source=_name_of(names), format=text(lib.tm_source_format(source)))
    )

    def tell(position_bytes: int) -> None:
        if progress is not None:
            progress(Progress(position_bytes, length))

    if relay.is_worth_it(length):
        return relay.read(source, sink, tell)
    while True:
        # Parts are short, and the interpreter's lock is released meanwhile, so
        # Ctrl-C and other threads get their turn.
        with sink._lock:
            code = lib.tm_source_read(source, sink._sink())
        tell(lib.tm_source_position_bytes(source))
        if code == lib.TM_EDAMAGED:
            return str(error(code))
        check(code)
        if code != lib.TM_MORE:
            return None


def _name_of(names: list[bytes]) -> str:
    first = os.fsdecode(names[0])
    return f"{first} and {len(names) - 1} more" if len(names) > 1 else first


def open(
    path: Path | Sequence[Path],
    progress: Listener | None = None,
    *,
    dialect: str | None = None,
    time_unit_ns: int = 0,
    with_paths: bool = False,
) -> Model:
    """Read a file and return the model of its run.

    Of a cut or damaged file the readable part is in the model; ``model.damage`` names
    what is missing, and a DamagedTraceWarning is issued.

    Args:
        path: of a file, or of anything that can be read; or several, of thread dumps
            or recordings, which are read as one, in the order of their times
        progress: called with a Progress after each part; what it raises ends it
        dialect: the file is a contention log, with these changes to its lines' fields
        time_unit_ns: of TPTP XML, which states none; 0: seconds
        with_paths: of JFR: files appear by their paths, not by hashes of these

    Raises:
        MissingFileError: there is no such file (a FileNotFoundError)
        InputOutputError: it cannot be read (an OSError)
        FormatError: it is of no known format, or empty (a ValueError)
        UnsupportedError: several files that cannot be read as one
        NewerVersionError: a newer release wrote it (a ValueError)
        InvalidArgumentError: the dialect is invalid (a ValueError)
    """
    model = Model()
    model.damage = read(
        path,
        model,
        progress,
        dialect=dialect,
        time_unit_ns=time_unit_ns,
        with_paths=with_paths,
    )
    if model.damage is not None:
        warnings.warn(model.damage, errors.DamagedTraceWarning, stacklevel=2)
    return model


class Live:
    """The model of a trace that is still being written.

    ``update()`` reads new data; ``model`` may be queried between any two
    calls. At its memory limit it keeps sums in place of old intervals.

    Args:
        path: of a .tmt file that has been begun
        memory_limit_bytes: of the model, see :class:`Model`; 0: no limit

    Raises:
        MissingFileError: there is no such file (a FileNotFoundError)
        InputOutputError: it cannot be read (an OSError)
        FormatError: it is of no known format, or empty (a ValueError)
        NewerVersionError: a newer release wrote it (a ValueError)
        UnsupportedError: it is of another format, which is read when complete
    """

    def __init__(
        self, path: str | os.PathLike[str], *, memory_limit_bytes: int = 0
    ) -> None:
        """Open the file; nothing of its events is read yet."""
        self._source = open_source([path_bytes(path)])
        check(lib.tm_source_follow(self._source, 1))
        self.model = Model(memory_limit_bytes=memory_limit_bytes)

    def _read(self) -> None:
        while True:
            with self.model._lock:
                code = lib.tm_source_read(self._source, self.model._sink())
            if code == lib.TM_EDAMAGED:
                self.model.damage = str(error(code))
                return
            check(code)
            if code != lib.TM_MORE:
                return

    def update(self) -> Model:
        """Read all that is there now, and return the model."""
        self._read()
        return self.model

    def finish(self) -> Model:
        """Read the rest of a finished file; ``model.damage`` names what is missing."""
        check(lib.tm_source_follow(self._source, 0))
        self._read()
        return self.model
