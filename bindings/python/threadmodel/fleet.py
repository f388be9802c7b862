# SPDX-License-Identifier: Apache-2.0
"""Summaries of single recordings of a fleet, as bytes that merge.

``summarize_batches`` is a function for Spark's ``mapInArrow``; workers of Dask call
``summarize_url``. Both return the same bytes for the same file.
"""

import contextlib
import hashlib
import json
import os
import re
import tempfile
import time
from collections.abc import Iterable, Iterator
from typing import Any, Final, NamedTuple

import threadmodel
from threadmodel import errors, private, summary
from threadmodel._library import MAX_INT64
from threadmodel.extras import extra
from threadmodel.judgement import nothing_in

CHUNK: Final = 1 << 20
_COSTS: Final = ("events", "dropped", "bytes", "threads_ns", "stacks_ns", "recorder_ns")
#: Facts of a run that are whole numbers; the others are text.
NUMBERS: Final = (
    *("pid", "processors", "start_wall_ns", "length_ns", "events", "size_bytes"),
    *(f"cost_{name}" for name in _COSTS),
)
_TEXTS: Final = ("format", "producer", "vm", "command")
#: Columns of table ``runs`` other than labels.
FACTS: Final = ("run", "url", *_TEXTS, "damage", *NUMBERS)
_FIELD: Final = re.compile(r"\{(\w+)\}|(\*)")


class Limits(NamedTuple):
    """Limits for one file.

    Attributes:
        memory_bytes: of its model, which then keeps sums in place of old intervals
        file_bytes: of the file
        seconds: of reading
    """

    memory_bytes: int = 512 << 20
    file_bytes: int = 8 << 30
    seconds: float = 600.0


class Result(NamedTuple):
    """The result for one file.

    Attributes:
        url: of the file
        run: 32 hexadecimal digits of its content; empty: it was not read
        error: why it was not read; empty: it was
        facts: of the run, as JSON; empty: none
        tables: of its summary, each as an Arrow stream, by name
    """

    url: str
    run: str
    error: str
    facts: str
    tables: dict[str, bytes]


def labels_of(url: str, pattern: str) -> dict[str, str]:
    """Match a pattern such as ``{service}/{host}/*.tmt`` with the end of a URL.

    A field and a star stand for text without a slash.

    Raises:
        InvalidArgumentError: the URL is not of that pattern, or a field has a fact's
            name
    """
    for name in _FIELD.findall(pattern):
        if name[0] in FACTS:
            raise errors.InvalidArgumentError(
                f"{pattern}: a label cannot have the name of a fact, {name[0]}"
            )
    parts, last = [], 0
    for match in _FIELD.finditer(pattern):
        parts.append(re.escape(pattern[last : match.start()]))
        parts.append(f"(?P<{match[1]}>[^/]+)" if match[1] else "[^/]*")
        last = match.end()
    parts.append(re.escape(pattern[last:]))
    try:
        found = re.search(f"(?:^|/){''.join(parts)}$", url)
    except re.error as failure:
        raise errors.InvalidArgumentError(f"labels {pattern!r}: {failure}") from None
    if found is None:
        raise errors.InvalidArgumentError(f"{url} is not of the pattern {pattern}")
    return found.groupdict()


def summarize_url(url: str, limits: Limits = Limits()) -> Result:  # noqa: B008
    """Read a file and sum up its run. Any failure becomes the error of the result."""
    copy = ""
    try:
        with _copied(url, limits) as copy:
            return _summarize(url, copy, limits)
    except errors.MissingExtraError:
        # A package that this machine lacks is not an error of the file.
        raise
    except (errors.ThreadmodelError, OSError, ValueError) as failure:
        text = _without(copy, str(failure)) or type(failure).__name__
        return Result(url, "", text, "", {})


def opened(url: str, limits: Limits = Limits()) -> threadmodel.Model:  # noqa: B008
    """Read the run of a file at any URL, as far as it can be read."""
    with _copied(url, limits) as copy:
        return _read(copy, limits)


def summarize_batches(batches: Iterable[Any]) -> Iterator[Any]:
    """Sum up files whose URLs are column ``url`` of batches, for ``mapInArrow``.

    Yields a pyarrow.RecordBatch a file: a row for each table of its summary, or one
    row with the error. The columns are those of :func:`schema`.
    """
    for batch in batches:
        for url in batch.column("url").to_pylist():
            yield to_batch(summarize_url(url))


def schema() -> Any:
    """Return the pyarrow.Schema of what :func:`summarize_batches` yields."""
    pyarrow = extra("pyarrow")
    names = ("url", "run", "error", "facts", "table")
    fields = [(name, pyarrow.string()) for name in names]
    return pyarrow.schema([*fields, ("content", pyarrow.binary())])


def to_batch(result: Result) -> Any:
    """Return a result as a pyarrow.RecordBatch; :func:`from_rows` reads it."""
    pyarrow = extra("pyarrow")
    same = {name: getattr(result, name) for name in ("url", "run", "error", "facts")}
    tables: dict[str, bytes | None] = {**result.tables} or {"": None}
    rows = [{**same, "table": name, "content": tables[name]} for name in tables]
    return pyarrow.RecordBatch.from_pylist(rows, schema=schema())


def from_rows(rows: Iterable[dict[str, Any]]) -> list[Result]:
    """Return the results of such rows, which may be in any order, by URL."""
    found: dict[str, Result] = {}
    for row in rows:
        facts = (row["url"], row["run"], row["error"], row["facts"])
        result = found.setdefault(row["url"], Result(*facts, {}))
        if row["content"] is not None:
            result.tables[row["table"]] = bytes(row["content"])
    return [found[url] for url in sorted(found)]


@contextlib.contextmanager
def _copied(url: str, limits: Limits) -> Iterator[str]:
    """Lend a copy of a file, which does not grow while it is read.

    The copy has no name, so that a worker that is killed leaves no file.
    """
    system, path = extra("fleet", module="fsspec").core.url_to_fs(url)
    with tempfile.TemporaryFile(prefix="threadmodel-") as copy:
        with _source(system, path) as source:
            _copy(source, copy, limits)
        copy.flush()
        yield f"/proc/self/fd/{copy.fileno()}"


def _source(system: Any, path: str) -> Any:
    if "file" not in system.protocol:
        return system.open(path, "rb")
    return private.open_regular(path)


def _copy(source: Any, copy: Any, limits: Limits) -> None:
    """Copy a file chunk by chunk, without relying on the size that it states."""
    end = time.monotonic() + limits.seconds
    room = limits.file_bytes
    while chunk := source.read(CHUNK):
        room -= len(chunk)
        if room < 0:
            raise errors.LimitError(f"larger than {limits.file_bytes} bytes")
        if time.monotonic() > end:
            raise errors.LimitError(f"not copied within {limits.seconds:g} s")
        copy.write(chunk)


def _summarize(url: str, path: str, limits: Limits) -> Result:
    model = _read(path, limits)
    missing = nothing_in(model)
    if missing is not None:
        raise errors.FormatError(missing)
    tables = summary.summarize(model)
    return Result(
        url,
        _digest(path),
        "",
        json.dumps(_facts(model, os.path.getsize(path)), sort_keys=True),
        {name: _stream(table) for name, table in tables.items()},
    )


def _read(path: str, limits: Limits) -> threadmodel.Model:
    end = time.monotonic() + limits.seconds

    def in_time(_: object) -> None:
        if time.monotonic() > end:
            raise errors.LimitError(f"not read within {limits.seconds:g} s")

    model = threadmodel.Model(memory_limit_bytes=limits.memory_bytes, workers=1)
    damage = threadmodel.read(path, model, in_time)
    model.damage = None if damage is None else _without(path, damage)
    return model


def _without(copy: str, text: str) -> str:
    """Remove the name of the copy from a text: the copy is deleted by then."""
    return text.removeprefix(f"{copy}: ")


def _facts(model: threadmodel.Model, size_bytes: int) -> dict[str, Any]:
    run = model.run
    own = {
        "length_ns": model.length_ns,
        "events": model.event_count,
        "size_bytes": size_bytes,
    }
    numbers = {
        name: own[name] if name in own else getattr(run, name) for name in NUMBERS
    }
    return {
        **{name: getattr(run, name) for name in _TEXTS},
        # A file may state any number; the column of Parquet is a signed one of 64 bits.
        **{name: min(number, MAX_INT64) for name, number in numbers.items()},
        "damage": model.damage,
    }


def _digest(path: str) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:32]


def _stream(table: threadmodel.Table) -> bytes:
    pyarrow = extra("pyarrow")
    # Plain text, as codes would differ between tables with the same content.
    arrow = table.to_arrow()
    text = pyarrow.string()
    plain = pyarrow.schema(
        (field.name, text if pyarrow.types.is_dictionary(field.type) else field.type)
        for field in arrow.schema
    )
    sink = pyarrow.BufferOutputStream()
    with pyarrow.ipc.new_stream(sink, plain) as writer:
        writer.write_table(arrow.cast(plain))
    return bytes(sink.getvalue())
