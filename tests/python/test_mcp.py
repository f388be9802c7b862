# SPDX-License-Identifier: Apache-2.0
"""The MCP server, asked by the official SDK's own client over stdin and stdout."""

import asyncio
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

import threadmodel
from conftest import Cli, one_line
from threadmodel.cli.mcp import Runs
from threadmodel.cli.mcp_answer import ANSWER_BYTES, answer

mcp = pytest.importorskip("mcp")
pytest.importorskip("duckdb")

MOST_BYTES = 8 * 1024
Ask = Callable[..., Awaitable[Any]]


def asked(questions: Callable[[Any], Awaitable[None]], *files: Path) -> None:
    """Start a server for files, and let questions be put to its session."""

    async def talk() -> None:
        server = mcp.StdioServerParameters(
            command=sys.executable,
            args=["-m", "threadmodel", "mcp", *map(str, files)],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        )
        with open(os.devnull, "w") as nowhere:
            async with (
                mcp.stdio_client(server, errlog=nowhere) as (read, write),
                mcp.ClientSession(read, write) as session,
            ):
                await session.initialize()
                await questions(session)

    asyncio.run(asyncio.wait_for(talk(), 120))


def text_of(result: Any) -> str:
    (content,) = result.content
    text: str = content.text
    assert len(text.encode()) < MOST_BYTES
    return text


def test_all_tools_answer_of_the_run(trace: Path) -> None:
    model = threadmodel.open(trace)

    async def questions(session: Any) -> None:
        async def ask(tool: str, **arguments: Any) -> Any:
            result = await session.call_tool(tool, arguments)
            assert not result.is_error, text_of(result)
            return json.loads(text_of(result))

        tools = (await session.list_tools()).tools
        assert 0 < len(tools) <= 8
        assert all(tool.description for tool in tools)
        (run,) = (await ask("runs"))["rows"]
        assert run["run"] == trace.name
        assert run["length_ns"] == model.length_ns
        assert run["threads"] == len(model.threads())
        findings = (await ask("findings"))["rows"]
        assert [row["title"] for row in findings] == [
            row["title"] for row in model.findings()
        ]
        part = threadmodel.Selection(window=(0, model.length_ns // 2))
        half = await ask("findings", to_ns=model.length_ns // 2)
        assert [row["title"] for row in half["rows"]] == [
            row["title"] for row in model.findings(part)
        ]
        assert half["caveats"][0].startswith("Only the part from 0 ns to ")
        for row in findings:
            found = await ask("evidence", evidence_id=row["evidence_id"])
            assert found["rows"]
            assert found["where"]
        tree = (await ask("why"))["rows"]
        causes = model.causes(main=True)
        assert tree[0]["text"] == causes["text"][0]
        assert tree[0]["time_ns"] == causes["time_ns"][0]
        first = await ask("explain")
        assert first["finding"] == findings[0]["title"]
        assert first["rows"]
        explained = (await ask("explain", thread="left", at_ns=model.length_ns))["rows"]
        assert [row["text"] for row in explained] == [
            row["text"] for row in model.explain(thread="left", at_ns=model.length_ns)
        ]
        path = (await ask("path"))["rows"]
        assert path[0]["thread"] == next(iter(model.path_rollup(("thread",))))["thread"]
        name = next(row["class"] for row in model.locks() if row["blocked_count"])
        assert (await ask("whatif", class_name=name, factor=0.0))["rows_in_all"] == 1
        assert "rows" in await ask("whatif")
        part = await ask("whatif", class_name=name[:-1], factor=0.0, run=trace.name)
        assert part["rows"][0]["class"] == name
        method = next(row["method"] for row in model.callers() if row["method"])
        more = await ask("whatif", method=method, change="permits", permits=3)
        assert more["rows"][0]["permits"] == 3
        # Only `runs` has the caveats on the whole run.
        assert run["caveats"]
        assert not set(run["caveats"]) & set(more.get("caveats", ()))
        count = await ask("sql", statement="select count(*) as n from threads")
        assert count["rows"] == [{"n": len(model.threads())}]
        many = await ask("sql", statement="select * from range(1000)")
        assert many["rows_in_all"] == 200
        assert "first 200" in many["caveat"]
        assert {"name": "threads"} in (await ask("sql", statement="show tables"))[
            "rows"
        ]

    asked(questions, trace)


def test_only_named_files_are_opened_and_only_tables_are_read(
    trace: Path, tmp_path: Path
) -> None:
    secret = tmp_path / "secret.csv"
    secret.write_text("word\nplugh\n")
    target = tmp_path / "written.csv"

    async def questions(session: Any) -> None:
        for tool, arguments in (
            ("findings", {"run": 2}),
            ("findings", {"run": 0}),
            ("findings", {"from_ns": 1, "skip_start": True}),
            ("why", {"skip_start": True}),
            ("why", {"kind": "nothing"}),
            ("path", {"from_ns": 1 << 61}),
            ("explain", {"at_ns": 1, "to_ns": 2}),
            ("evidence", {"evidence_id": "1:999"}),
            ("evidence", {"evidence_id": "../x"}),
            ("explain", {"thread": "nobody"}),
            ("whatif", {"class_name": "none.such"}),
            ("whatif", {"change": "permits"}),
            ("whatif", {"change": "nothing"}),
            ("whatif", {"factor": "much"}),
            ("findings", {"run": "no-such-run"}),
            ("sql", {"statement": f"select * from read_csv('{secret}')"}),
            ("sql", {"statement": f"select * from '{secret}'"}),
            ("sql", {"statement": f"copy (select 1) to '{target}'"}),
            ("sql", {"statement": f"attach '{tmp_path / 'x.db'}'"}),
            ("sql", {"statement": "set enable_external_access = true"}),
            ("sql", {"statement": "selec"}),
        ):
            result = await session.call_tool(tool, arguments)
            assert result.is_error, (tool, arguments)
            assert "plugh" not in text_of(result)
            assert "Traceback" not in text_of(result)
            assert "\n" not in text_of(result)

    asked(questions, trace)
    assert not target.exists()


@pytest.mark.parametrize(
    "statement", ["{}", "create table t as {}", "{}; select 1", "select 1; {}"]
)
def test_a_statement_ends_after_its_time(
    trace: Path, monkeypatch: pytest.MonkeyPatch, statement: str
) -> None:
    monkeypatch.setattr("threadmodel.cli.mcp.SQL_SECONDS", 0.2)
    long = "select count(*) from range(10_000_000) a, range(10_000_000) b"
    with pytest.raises(threadmodel.InvalidArgumentError, match=r"(?i)interrupt"):
        Runs([str(trace)]).sql(statement.format(long))


@pytest.mark.parametrize(
    "statement",
    [
        "select repeat('x', 100000000) from range(300)",
        "select repeat('x', 2000000000)",
        "select length(repeat('x', 2000000000)) from threads",
        "select list(repeat('x', 1000)) from range(10000000)",
    ],
)
def test_a_statement_that_takes_gigabytes_is_refused(
    trace: Path, monkeypatch: pytest.MonkeyPatch, statement: str
) -> None:
    monkeypatch.setattr("threadmodel.cli.mcp.SQL_BYTES", 256 << 20)
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    began = time.monotonic()
    with pytest.raises(threadmodel.InvalidArgumentError):
        Runs([str(trace)]).sql(statement)
    assert time.monotonic() - began < 100
    used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    assert max(used - before, 0) < 1 << 20


def test_long_cells_are_cut(trace: Path) -> None:
    for kind in ("varchar", "blob"):
        text = Runs([str(trace)]).sql(f"select repeat('x', 1000000)::{kind} as long")
        assert len(text) < ANSWER_BYTES
        assert "xxx" in text


def test_every_question_takes_a_part_of_the_run(trace: Path) -> None:
    model = threadmodel.open(trace)
    half_ns = model.length_ns // 2
    runs = Runs([str(trace)])

    def rows(text: str) -> Any:
        return json.loads(text)["rows"]

    part = threadmodel.Selection(window=(0, half_ns))
    tree = rows(runs.why(to_ns=half_ns))
    assert tree[0]["time_ns"] == model.causes(part, main=True)["time_ns"][0]
    assert tree[0]["time_ns"] < rows(runs.why())[0]["time_ns"]
    path = rows(runs.path(to_ns=half_ns))
    keys = ("thread", "method", "state")
    assert sum(row["total_ns"] for row in path) == sum(
        model.path_rollup(keys, to_ns=half_ns)["total_ns"]
    )
    assert rows(runs.explain(from_ns=half_ns))[0]["at_ns"] >= half_ns
    assert rows(runs.whatif(to_ns=half_ns)) is not None


def test_several_runs_are_asked_by_name(trace: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.tmt"
    other.write_bytes(trace.read_bytes())
    runs = Runs([str(trace), str(other)])
    with pytest.raises(threadmodel.InvalidArgumentError, match=r"which run\? "):
        runs.findings()
    first = json.loads(runs.findings("other"))["rows"][0]
    assert first["evidence_id"] == "other.tmt:1"
    assert json.loads(runs.evidence("other.tmt:1"))["rows"]


def test_threads_have_names_and_ids_only_where_two_have_one(trace: Path) -> None:
    rows = json.loads(Runs([str(trace)]).explain())["rows"]
    assert rows[0]["thread"]
    assert "thread_id" not in rows[0]
    assert None not in rows[0].values()


def test_a_file_that_cannot_be_read_is_a_row(trace: Path, tmp_path: Path) -> None:
    bad = tmp_path / "bad.tmt"
    bad.write_bytes(b"nothing that is known")
    rows = json.loads(Runs([str(bad), str(trace), "/missing"]).runs())["rows"]
    assert [bool(row.get("error")) for row in rows] == [True, False, True]
    assert rows[1]["threads"] == len(threadmodel.open(trace).threads())


def test_a_line_that_is_no_message_gets_an_error(trace: Path) -> None:
    lines = [
        b"{",
        b"\xff\xfe",
        b"[" * 100_000,
        b"[]",
        b'{"jsonrpc": "2.0", "id": 7}',
        b"",
    ]
    done = subprocess.run(
        [sys.executable, "-m", "threadmodel", "mcp", trace],
        input=b"\n".join(lines) + b"\n",
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        timeout=120,
        check=False,
    )
    replies = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(it["id"], it["error"]["code"]) for it in replies] == [
        *([(None, -32700)] * 3),
        (None, -32600),
        (7, -32600),
    ]


def test_long_answers_are_cut_by_rows_and_count_them() -> None:
    rows = [{"name": "\u7dda" * 2000, "number": i} for i in range(1000)]
    text = answer(rows, len(rows), caveats=["x" * 5000])
    assert len(text.encode()) <= ANSWER_BYTES
    found = json.loads(text)
    assert found["rows_in_all"] == 1000
    assert 0 < found["rows_shown"] == len(found["rows"])
    assert json.loads(answer([], 0)) == {"rows_in_all": 0, "rows": []}


def test_stdin_is_no_run(cli: Cli) -> None:
    done = cli("mcp", "-")
    assert done.returncode == 2
    assert "name files" in one_line(done.stderr)
