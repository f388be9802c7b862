# SPDX-License-Identifier: Apache-2.0
"""Sums by class without a model are those of the model, or they are refused."""

import subprocess
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

import scenario
import threadmodel
from conftest import Cli
from threadmodel import Event, EventKind, errors
from threadmodel.class_sums import sum_pairs
from threadmodel.cli.quick import STATES

ROOT = Path(__file__).parents[2]
HOMES = ("docs/examples", "tests/data", "tests/fuzz/corpus")
FIGURES = ("count", "total", "min", "max", "mean", "p50", "p90", "p99")
FIELDS = ("count", *(f"{figure}_ns" for figure in FIGURES[1:]))


def files_of_the_tree() -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "-z", *HOMES],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split("\0")
    return [ROOT / name for name in listed if name]


def scenarios(folder: Path) -> Iterator[Path]:
    for file in sorted((ROOT / "tests/scenarios").glob("*.txt")):
        read = scenario.read(file)
        path = folder / f"{file.stem}.tmt"
        with threadmodel.Writer(path) as writer:
            scenario._define(read, writer)  # type: ignore[arg-type]
            writer.ingest([scenario._event(read, words) for words in read.events])
        yield path


def of_model(model: threadmodel.Model, state: str) -> dict[object, list[object]]:
    return {
        row["class"]: [row[f"{state}_{field}"] for field in FIELDS]
        for row in model.statistics(("class",))
        if row[f"{state}_count"]
    }


def compare(path: Path, state: str) -> bool:
    """Compare, and return whether the sums were given."""
    try:
        table, left_out = sum_pairs(path, (state,))
        model = threadmodel.open(path)
    except errors.ThreadmodelError:
        return False
    if left_out[state]:
        return False
    quick = {row["class"]: [row[field] for field in FIELDS] for row in table}
    assert quick == of_model(model, state), path
    return True


@pytest.mark.parametrize("state", STATES)
def test_sums_without_a_model_are_those_of_the_model(
    state: str, tmp_path: Path
) -> None:
    given = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", errors.DamagedTraceWarning)
        for path in (*files_of_the_tree(), *scenarios(tmp_path)):
            given += compare(path, state)
    assert given > 250


def test_a_block_without_an_end_is_refused_in_one_line(
    cli: Cli, tmp_path: Path
) -> None:
    path = tmp_path / "open.tmt"
    with threadmodel.Writer(path) as writer:
        writer.define_class(1, "demo.Account")
        writer.define_object(9, 1)
        writer.ingest([Event(10, 1, EventKind.CONTENDED_ENTER, object=9)])
    done = cli("stats", path, "--quick")
    assert done.returncode == 2
    assert done.stdout == b""
    assert b"leave out 1 of the events about blocked threads" in done.stderr
    assert b"ask without it" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_class_may_be_defined_after_its_objects(tmp_path: Path) -> None:
    path = tmp_path / "late.tmt"
    with threadmodel.Writer(path) as writer:
        writer.define_object(9, 1)
        writer.define_class(1, "demo.Account")
        writer.ingest(
            [
                Event(10, 1, EventKind.CONTENDED_ENTER, object=9),
                Event(30, 1, EventKind.CONTENDED_ENTERED, object=9),
            ]
        )
    assert [row["class"] for row in threadmodel.sum_classes(path)] == ["demo.Account"]
