# SPDX-License-Identifier: Apache-2.0
"""Untrusted SQL, in a separate process with limits of memory and time.

    parent                              child
    statement, limits  ────────▶       plans it over tables without rows
                       ◀────────       "table NAME", and its columns
    its length, and an Arrow stream ─▶  keeps it; asks for the next, runs it
                       ◀────────       "answer", JSON of a bounded length, or "error"

The parent does not parse the statement: even planning ``repeat('x', 2000000000)`` takes
gigabytes. A child that exceeds a limit is ended by the kernel or by the parent.
"""

import json
import os
import resource
import signal
import subprocess
import sys
import threading
from typing import IO, Any, Final

from threadmodel import errors, sql
from threadmodel.cli.mcp_answer import MOST_ROWS, TEXT_LENGTH, answer
from threadmodel.extras import extra
from threadmodel.model import Model
from threadmodel.tables import ALL_TABLES
from threadmodel.tables import ask as ask_table

# Extra time after that of a statement, to interrupt and report it.
GRACE_S: Final = 3.0
MOST_ANSWER_BYTES: Final = 1 << 20
# The limit is of address space, and other allocators reserve more than they use.
_PLAIN_MEMORY: Final = {"ARROW_DEFAULT_MEMORY_POOL": "system", "MALLOC_ARENA_MAX": "2"}


def ask(model: Model, statement: str, seconds: float, memory_bytes: int) -> str:
    """Run a statement over the tables of a model and return its answer.

    Args:
        model: asked
        statement: of DuckDB
        seconds: that it may take
        memory_bytes: that it may take, beside the tables that it reads

    Raises:
        InvalidArgumentError: it is invalid, or exceeds a limit
    """
    extra("duckdb")
    extra("pyarrow")
    paths = os.pathsep.join(path for path in sys.path if path)
    with subprocess.Popen(
        [sys.executable, "-m", __name__],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, **_PLAIN_MEMORY, "PYTHONPATH": paths},
    ) as child:
        assert child.stdin
        assert child.stdout
        try:
            request = [statement, seconds, memory_bytes]
            return _served(model, child, json.dumps(request), seconds)
        finally:
            child.kill()


def _served(
    model: Model, child: "subprocess.Popen[bytes]", request: str, seconds: float
) -> str:
    assert child.stdin
    assert child.stdout
    is_late = threading.Event()
    reply = None
    try:
        child.stdin.write(request.encode() + b"\n")
        child.stdin.flush()
        while reply := _reply(child, child.stdout, seconds, is_late):
            kind, value, *rest = reply
            if kind != "table":
                break
            name = str(value)
            if name not in ALL_TABLES:
                break
            content = _stream(ask_table(model, name, rest[0] if rest else None))
            child.stdin.write(b"%d\n" % len(content))
            child.stdin.write(content)
            child.stdin.flush()
    except BrokenPipeError:
        reply = None
    if reply and reply[0] == "answer":
        return str(reply[1])
    if reply and reply[0] == "error":
        raise errors.InvalidArgumentError(str(reply[1])[: 4 * TEXT_LENGTH])
    if is_late.is_set():
        raise errors.InvalidArgumentError(f"interrupted after {seconds:g} s")
    raise errors.InvalidArgumentError("the statement takes too much memory")


def _reply(
    child: "subprocess.Popen[bytes]",
    stdout: IO[bytes],
    seconds: float,
    is_late: threading.Event,
) -> list[Any] | None:
    """Read a line of the child, which is killed if it does not come in time."""

    def kill() -> None:
        is_late.set()
        child.kill()

    timer = threading.Timer(seconds + GRACE_S, kill)
    timer.start()
    try:
        line = stdout.readline(MOST_ANSWER_BYTES)
    finally:
        timer.cancel()
    try:
        reply: list[Any] = json.loads(line)
    except ValueError:
        return None
    return reply


def _stream(table: Any) -> bytes:
    pyarrow = extra("pyarrow")
    arrow = table.to_arrow()
    sink = pyarrow.BufferOutputStream()
    with pyarrow.ipc.new_stream(sink, arrow.schema) as writer:
        writer.write_table(arrow)
    return bytes(sink.getvalue())


def _limit(memory_bytes: int, seconds: float) -> None:
    """Allow so much memory beside what is in use, and so much time from now on."""
    with open("/proc/self/statm", "rb") as file:
        pages = int(file.read().split()[0])
    most = pages * resource.getpagesize() + memory_bytes
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (most, hard))
    # The child ends even if its parent was killed.
    signal.alarm(int(seconds + 2 * GRACE_S) + 1)


def _say(*reply: object) -> None:
    sys.stdout.write(json.dumps(reply) + "\n")
    sys.stdout.flush()


def main() -> None:
    """Answer one statement; see above."""
    pyarrow = extra("pyarrow")
    extra("duckdb")
    source = sys.stdin.buffer
    statement, seconds, memory_bytes = json.loads(source.readline())

    def table_of(name: str, columns: list[str] | None) -> Any:
        _say("table", name, columns)
        content = source.read(int(source.readline()))
        table = pyarrow.ipc.open_stream(content).read_all()
        _limit(memory_bytes, seconds)
        return table

    try:
        _limit(memory_bytes, seconds)
        connection, relation = sql.prepared(table_of, statement, sealed_for_s=seconds)
        with sql.ending_after(connection, seconds):
            rows = relation.limit(MOST_ROWS + 1).fetchall()
        names = relation.columns
        more = {}
        if len(rows) > MOST_ROWS:
            more["caveat"] = f"only the first {MOST_ROWS} rows were asked for"
        shown = [dict(zip(names, row, strict=True)) for row in rows[:MOST_ROWS]]
        _say("answer", answer(shown, len(shown), **more))
    except MemoryError:
        _say("error", "the statement takes too much memory")
    except Exception as failure:
        _say("error", str(failure)[: 4 * TEXT_LENGTH])


if __name__ == "__main__":
    main()
