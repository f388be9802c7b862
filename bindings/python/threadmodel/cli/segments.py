# SPDX-License-Identifier: Apache-2.0
"""What a collector receives, on its way into a folder or an object store.

    SPOOL/in/HOST/4711-1f2e3d4c.0000.20261123T12.raw   being received
    SPOOL/in/HOST/4711-1f2e3d4c.names                  definitions of what is delivered
    SPOOL/ready/HOST/20261123T12-4711-1f2e3d4c-0000.tmt

A raw file is what the agent sent, block for block. If it is all of a recording it is
delivered as it is. Otherwise its events need names that were sent before it: it is
written anew, with these at its beginning. Whatever ends the collector, the spool has
all that is not delivered, and the next one goes on from it.
"""

import contextlib
import dataclasses
import errno
import fcntl
import itertools
import os
import queue
import struct
import threading
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, Final, NamedTuple

from threadmodel import errors
from threadmodel._library import check, error, ffi, lib, path_bytes
from threadmodel.cli.messages import say
from threadmodel.cli.peers import BLOCK_HEADER_BYTES, FILE_HEADER_BYTES
from threadmodel.extras import extra
from threadmodel.model import Model
from threadmodel.run import Run
from threadmodel.sink import Sink
from threadmodel.source import open_source
from threadmodel.writer import Writer

RETRY_S: Final = 30.0
DATA: Final = 1


class Segment(NamedTuple):
    """A raw file, and whether the recording ends with it."""

    path: Path
    is_last: bool


class Spool:
    """Raw files, and the thread that delivers them one after another."""

    def __init__(self, folder: str, spool: Path) -> None:
        """Continue with what another collector left.

        Raises:
            OSError: it cannot be written to, or another collector has it
        """
        self._system, self._root = extra("fleet", module="fsspec").core.url_to_fs(
            folder
        )
        self._is_local = "file" in _protocols(self._system)
        self._in = spool / "in"
        self._ready = spool / "ready"
        for made in (spool, self._in, self._ready):
            made.mkdir(mode=0o700, parents=True, exist_ok=True)
        # It may be a link to anything, which stays as it is.
        self._lock = open(spool / "lock", "a")  # noqa: SIM115
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._lock.close()
            raise OSError(
                errno.EBUSY, "another collector uses it", str(spool)
            ) from None
        if self._is_local:
            os.makedirs(self._root, mode=0o700, exist_ok=True)
            if os.stat(self._root).st_dev != os.stat(spool).st_dev:
                self._lock.close()
                raise OSError(
                    errno.EXDEV, f"must be on the file system of {folder}", str(spool)
                )
        self._queue: queue.SimpleQueue[Segment | None] = queue.SimpleQueue()
        for left in _left(self._in):
            self._queue.put(left)
        self._thread = threading.Thread(target=self._deliver, daemon=True)
        self._thread.start()

    def create(self, host: str, stem: str, index: int, hour: str) -> BinaryIO:
        """Begin a raw file."""
        (self._in / host).mkdir(mode=0o700, exist_ok=True)
        path = self._in / host / f"{stem}.{index:04}.{hour}.raw"
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
        return open(os.open(path, flags, 0o600), "wb", buffering=0)

    def path(self, host: str, stem: str, index: int, hour: str) -> Path:
        """Return where that file is."""
        return self._in / host / f"{stem}.{index:04}.{hour}.raw"

    def put(self, segment: Segment) -> None:
        """Deliver a file that is complete."""
        self._queue.put(segment)

    def close(self) -> int:
        """Deliver what is there, each once more.

        Returns:
            how many files are not delivered
        """
        self._queue.put(None)
        self._thread.join()
        self._lock.close()
        left = (self._in.glob("*/*.raw"), self._ready.glob("*/*.tmt"))
        return sum(1 for _ in itertools.chain(*left))

    def _deliver(self) -> None:
        waiting: deque[Segment] = deque()
        reported, is_open = "", True
        while is_open:
            try:
                segment = self._queue.get(timeout=RETRY_S)
            except queue.Empty:
                pass
            else:
                if segment is None:
                    is_open = False
                else:
                    waiting.append(segment)
            try:
                while waiting:
                    self._make_ready(waiting[0])
                    waiting.popleft()
                self._send()
            except Exception as failure:
                # Of any file system of fsspec's, with errors of its own.
                if reported != str(failure):
                    reported = str(failure)
                    say(f"not delivered yet, tried again: {reported}")
            else:
                reported = ""

    def _make_ready(self, segment: Segment) -> None:
        path, is_last = segment
        if not path.exists():
            return
        stem, index, hour, _ = path.name.split(".")
        ready = self._ready / path.parent.name / f"{hour}-{stem}-{index}.tmt"
        names = path.parent / f"{stem}.names"
        ready.parent.mkdir(mode=0o700, exist_ok=True)
        if int(index) == 0 and is_last:
            path.rename(ready)
            return
        made = ready.with_suffix(".new")
        try:
            _rewrite(path, names, made, is_last)
            if not is_last:
                with Writer(names.with_suffix(".new")) as writer:
                    _read(made, writer, events=False)
                names.with_suffix(".new").rename(names)
            made.rename(ready)
            path.unlink()
        except errors.InputOutputError:
            # No room, for example: it is still there to be tried again.
            raise
        except errors.ThreadmodelError as failure:
            # As it came: whoever reads it says what is wrong.
            say(f"{path.name} is kept as it came: {failure}")
            made.unlink(missing_ok=True)
            path.rename(ready)
        if is_last:
            names.unlink(missing_ok=True)

    def _send(self) -> None:
        for path in sorted(self._ready.glob("*/*.tmt")):
            target = f"{self._root.rstrip('/')}/{path.parent.name}/{path.name}"
            if self._is_local:
                os.makedirs(os.path.dirname(target), mode=0o700, exist_ok=True)
                os.replace(path, target)
            else:
                self._system.put_file(str(path), target)
                path.unlink()


def _protocols(system: Any) -> tuple[str, ...]:
    known = system.protocol
    return (known,) if isinstance(known, str) else tuple(known)


def _left(folder: Path) -> Iterator[Segment]:
    """Yield the raw files of a collector that was ended, in their order."""
    paths = sorted(folder.glob("*/*.raw"))
    for path, after in itertools.zip_longest(paths, paths[1:]):
        stem = path.name.split(".")[0]
        same = after is not None and (
            after.parent == path.parent and after.name.split(".")[0] == stem
        )
        yield Segment(path, not same)


def _rewrite(raw: Path, names: Path, made: Path, is_last: bool) -> None:
    """Write a trace of its own from a part of one."""
    with Writer(made) as writer:
        known = raw
        if names.exists():
            known = names
            _read(names, writer, events=False)
        model = Model()
        _read(known, model, events=False)
        _read(raw, writer)
        span = _span(raw)
        if span is None:
            return
        start_ns, end_ns = span
        run = Run(end_ns=0 if is_last else end_ns)
        if known == names and model.run.start_ns:
            shift_ns = start_ns - model.run.start_ns
            wall_ns = model.run.start_wall_ns
            run = dataclasses.replace(
                run,
                start_ns=start_ns,
                start_wall_ns=wall_ns + shift_ns if wall_ns else 0,
            )
        writer.define_run(run)
        if known == names:
            writer.add_caveat(
                "the recording began in an earlier file: what threads waited for when "
                "this one began is not in it"
            )


def _read(path: Path, sink: Sink, *, events: bool = True) -> None:
    """Read all whole blocks, without a word on a missing end."""
    source = open_source([path_bytes(path)])
    check(lib.tm_source_follow(source, 1))
    with sink._lock:
        wanted = sink._sink()
        if not events:
            wanted = ffi.new("tm_sink *", wanted[0])
            wanted.events = ffi.NULL
        while True:
            code = lib.tm_source_read(source, wanted)
            if code == lib.TM_EDAMAGED:
                raise error(code)
            check(code)
            if code != lib.TM_MORE:
                return


def _span(raw: Path) -> tuple[int, int] | None:
    """Return the first and the last time of the events of a raw file."""
    first_ns, last_ns, at = None, 0, FILE_HEADER_BYTES
    with open(raw, "rb") as file:
        while True:
            file.seek(at)
            header = file.read(BLOCK_HEADER_BYTES)
            if len(header) < BLOCK_HEADER_BYTES:
                break
            kind, packed, events, first, last = struct.unpack(
                "<3xBI4xI4xqq", header[:36]
            )
            if kind == DATA and events:
                first_ns = first if first_ns is None else min(first, first_ns)
                last_ns = max(last, last_ns)
            at += BLOCK_HEADER_BYTES + packed
    return None if first_ns is None else (first_ns, last_ns)


@contextlib.contextmanager
def opened(folder: str, spool: str | None) -> Iterator[Spool]:
    """Lend a spool; at the end, say what could not be delivered.

    Raises:
        InvalidArgumentError: a store needs a spool by name
    """
    if spool is None:
        if "://" in folder:
            raise errors.InvalidArgumentError(
                f"{folder} is not a local folder: give a --spool"
            )
        spool = f"{folder.rstrip('/')}.spool"
    made = Spool(folder, Path(spool))
    try:
        yield made
    finally:
        left = made.close()
        if left:
            say(f"{left} files are in {spool}, and not delivered yet")
