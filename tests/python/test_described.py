# SPDX-License-Identifier: Apache-2.0
"""Every table is as described: its columns, their types, strings and nulls, for a
recording of a real program and for runs with every kind of value."""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import random_runs
import runs
import threadmodel
from describe.columns import Column, read_tables
from describe.enums import read_enums
from threadmodel import agent
from threadmodel._core import ffi, lib
from threadmodel.tables import ALL_TABLES

DEMO = Path(__file__).parents[2] / "docs" / "examples" / "demo" / "Demo.java"
TABLES = read_tables()
TYPES = {value.number: value.name for value in read_enums()["tm_type"].values}
TRACES = ("recorded", "story", "random-1", "random-2", "random-3")


@pytest.fixture(scope="module", params=TRACES)
def trace(request: pytest.FixtureRequest, tmp_path_factory: Any) -> Path:
    folder: Path = tmp_path_factory.mktemp("traces")
    path = folder / "run.tmt"
    if request.param == "recorded":
        record(folder, path)
        return path
    with threadmodel.Writer(path) as writer:
        if request.param == "story":
            runs.fill(writer)
        else:
            seed = int(request.param.removeprefix("random-"))
            random_runs.fill(writer, seed, threads=6, objects=4, count=4000)
    return path


def record(folder: Path, path: Path) -> None:
    javac, java = shutil.which("javac"), shutil.which("java")
    if not javac or not java:
        pytest.skip("no JDK")
    if not Path(agent.__file__).with_name(agent.NAME).exists():
        pytest.skip("no agent: built without a JDK")
    subprocess.run([javac, "-d", folder, DEMO], check=True)
    command = [sys.executable, "-m", "threadmodel", "record", "-o", path, "--"]
    subprocess.run([*command, java, "-cp", folder, "Demo"], check=True)


@pytest.fixture(scope="module")
def model(trace: Path) -> Iterator[Any]:
    """The C library's model of a trace, without the Python package."""
    out = ffi.new("tm_model **")
    assert lib.tm_model_new(out, ffi.NULL) == lib.TM_OK
    emit(trace, lib.tm_model_sink(out[0]))
    yield out[0]
    lib.tm_model_free(out[0])


def emit(trace: Path, sink: Any) -> None:
    source = ffi.new("tm_source **")
    assert lib.tm_source_open(source, bytes(trace), ffi.NULL) == lib.TM_OK
    while (code := lib.tm_source_read(source[0], sink)) == lib.TM_MORE:
        pass
    lib.tm_source_close(source[0])
    assert code == lib.TM_OK


def options(kind: str, **fields: Any) -> Any:
    return ffi.new(f"{kind} *", {"size": ffi.sizeof(kind), **fields})


def number(keys: tuple[str, ...]) -> int:
    return sum(getattr(lib, key) for key in keys)


def ask(name: str, keys: tuple[str, ...], model: Any, trace: Path) -> Any:
    """The table of a name; the caller frees it."""
    statistics = options("tm_statistics_options", keys=number(keys))
    by = number(keys)
    questions: dict[str, tuple[Any, ...]] = {
        "threads": (lib.tm_thread_list, ffi.NULL),
        "groups": (lib.tm_statistics_list, statistics),
        "total": (lib.tm_statistics_sum, statistics),
        "histogram": (lib.tm_histogram_list, statistics, lib.TM_STATE_BLOCKED),
        "timeline": (lib.tm_timeline_list, ffi.NULL),
        "tiles": (lib.tm_tile_list, ffi.NULL, 1_000_000),
        "stacks": (lib.tm_stack_list,),
        "interactions": (lib.tm_interaction_list, ffi.NULL),
        "context": (lib.tm_context_list, ffi.NULL),
        "context_totals": (lib.tm_context_sum,),
        "deadlocks": (lib.tm_deadlock_list,),
        "critical_path": (lib.tm_path_list, ffi.NULL),
        "explanation": (lib.tm_explanation_list, ffi.NULL),
        "path_rollup": (lib.tm_path_sum, options("tm_path_options", keys=by)),
        "whatif": (lib.tm_whatif_rank, ffi.NULL),
        "lock_order": (lib.tm_lock_order_list,),
        "lock_edges": (lib.tm_lock_edge_list,),
        "blame": (lib.tm_blame_list, ffi.NULL),
        "blamed": (lib.tm_blame_list, options("tm_blame_options", keys=by)),
        "blockers": (lib.tm_blocker_list, ffi.NULL),
        "holds": (lib.tm_hold_list, ffi.NULL),
        "hold_times": (lib.tm_hold_group, options("tm_hold_options", keys=by)),
        "resources": (lib.tm_resource_list, ffi.NULL),
        "resource_uses": (lib.tm_resource_use_list, ffi.NULL),
        "findings": (lib.tm_finding_list,),
        "finding_kinds": (lib.tm_finding_kind_list,),
        "units": (lib.tm_unit_list, ffi.NULL, ffi.NULL),
        "unit_kinds": (lib.tm_unit_kind_list, ffi.NULL, ffi.NULL),
        "unit_parts": (lib.tm_unit_part_list, ffi.NULL, ffi.NULL),
        "causes": (lib.tm_cause_list, ffi.NULL, ffi.NULL),
        "verdict": (lib.tm_verdict_list,),
        "verdict_members": (lib.tm_verdict_member_list,),
        "modules": (lib.tm_module_list,),
        "diagnostics": (lib.tm_diagnostic_list,),
        "caveats": (lib.tm_caveat_list,),
    }
    table = TABLES[name]
    out = ffi.new("tm_table **")
    if name == "class_sums":
        summary = ffi.new("tm_class_sums **")
        assert lib.tm_class_sums_new(summary, ffi.NULL) == lib.TM_OK
        emit(trace, lib.tm_class_sums_sink(summary[0]))
        assert lib.tm_class_sums_list(out, summary[0]) == lib.TM_OK
        lib.tm_class_sums_free(summary[0])
        return out[0]
    asked = questions.get(name) or questions[table.of]
    assert asked[0](out, model, *asked[1:]) == lib.TM_OK
    return out[0]


def by_keys() -> list[tuple[str, tuple[str, ...]]]:
    """Every table; those with keys by each key, by none and by all."""
    found = []
    for name, table in TABLES.items():
        keys = sorted({key for column in table.columns for key in column.keys})
        if table.of or not keys:
            found.append((name, table.keys))
            continue
        found += [(name, (key,)) for key in keys]
        found += [(name, tuple(keys))]
    return found


def name_of(name: str, keys: tuple[str, ...]) -> str:
    """Groups by some keys have a name of their own."""
    for table in TABLES.values():
        if table.of == name and set(table.keys) == set(keys) and name == "groups":
            return table.name
    return name


@pytest.mark.parametrize(("name", "keys"), by_keys(), ids=str)
def test_a_table_is_as_described(
    name: str, keys: tuple[str, ...], model: Any, trace: Path
) -> None:
    table = ffi.gc(ask(name, keys, model, trace), lib.tm_table_free)
    described = TABLES[name].asked(keys)
    assert ffi.string(lib.tm_table_name(table)).decode() == name_of(name, keys)
    columns = range(lib.tm_table_column_count(table))
    assert [
        (
            ffi.string(lib.tm_table_column_name(table, column)).decode(),
            TYPES[lib.tm_table_column_type(table, column)],
        )
        for column in columns
    ] == [(column.name, column.type) for column in described]
    for index, column in enumerate(described):
        check_values(table, index, column)


def check_values(table: Any, index: int, column: Column) -> None:
    for row in range(lib.tm_table_row_count(table)):
        if lib.tm_table_cell_is_null(table, index, row):
            assert column.null, f"{column.name} is null in row {row}"
        elif column.strings:
            text = ffi.string(lib.tm_table_cell_string(table, index, row)).decode()
            assert text in column.strings


def test_sql_and_reports_have_the_documented_tables() -> None:
    assert set(ALL_TABLES) == {table.sql for table in TABLES.values() if table.sql}


def test_every_question_of_a_model_lists_its_columns() -> None:
    questions = {
        name: question
        for name, question in vars(threadmodel.Model).items()
        if getattr(question, "__annotations__", {}).get("return")
        in (threadmodel.Table, threadmodel.Timeline)
        and not name.startswith("_")
    }
    assert len(questions) > 25
    without = [
        name
        for name, question in questions.items()
        if "Columns (table ``" not in (question.__doc__ or "")
    ]
    # It has the columns of whatif.
    assert without == ["whatif_rank"]
