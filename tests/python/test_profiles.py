# SPDX-License-Identifier: Apache-2.0
"""Profiles for pprof and OpenTelemetry, read back by Go's own tool and by classes made
from OpenTelemetry's schema: their sums are those of the tables."""

import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import threadmodel
from conftest import Cli
from schema import unknown
from threadmodel import Event, EventKind

profiles = pytest.importorskip(
    "opentelemetry.proto.profiles.v1development.profiles_pb2"
)
service = pytest.importorskip(
    "opentelemetry.proto.collector.profiles.v1development.profiles_service_pb2"
)

STATES = ("blocked", "waiting", "reentering", "joining", "parked")
OWNED = ("blocked", "reentering", "parked")
GO = shutil.which("go") or shutil.which("go", path="/usr/local/go/bin")
needs_go = pytest.mark.skipif(GO is None, reason="Go is not installed")
SIDES = ("waiters", "owners")


@pytest.fixture(params=["run", "handoff", "hostile", "empty"])
def any_model(
    request: pytest.FixtureRequest,
    model: threadmodel.Model,
    hostile: threadmodel.Model,
) -> threadmodel.Model:
    if request.param == "empty":
        return threadmodel.Model()
    if request.param == "handoff":
        return handoff()
    return model if request.param == "run" else hostile


def handoff() -> threadmodel.Model:
    """A lock that 1 holds while 2 is blocked; its release is reported, and the time
    until 2 ran."""
    kind = EventKind
    model = threadmodel.Model()
    model.define_class(1, "app.Lock")
    model.define_class(2, "app.Main", source="Main.java")
    for number in (1, 2):
        model.define_thread(number, f"t{number}")
        model.define_method(number, 2, f"step{number}")
        model.define_stack(number, [threadmodel.Frame(number, line=10 * number)])
    model.define_object(1, 1)
    model.ingest(
        [
            Event(0, 1, kind.ACQUIRED, object=1, stack=1),
            Event(10, 2, kind.CONTENDED_ENTER, object=1, stack=2),
            Event(50, 1, kind.RELEASED, object=1),
            Event(60, 2, kind.CONTENDED_ENTERED, object=1),
        ]
    )
    return model


def waiters(model: threadmodel.Model) -> tuple[int, int]:
    (row,) = list(model.total()) or [{}]
    return tuple(  # type: ignore[return-value]
        sum(row.get(f"{state}_{what}", 0) for state in STATES)
        for what in ("count", "total_ns")
    )


def owners(model: threadmodel.Model) -> tuple[int, int]:
    """Blocks are counted once for each class and each stack of an owner, and state."""
    rows = [
        row
        for state in OWNED
        for row in model.blame(("class", "owner_stack"), states=state)
    ]
    count = sum(row["count"] for row in rows)
    total = sum(row["total_ns"] for row in rows)
    assert total == sum(row["total_ns"] for row in model.blame("owner"))
    return count, total


def raw(path: Path) -> str:
    """The content of a pprof file as Go's tool reads it."""
    assert GO is not None
    done = subprocess.run(
        [GO, "tool", "pprof", "-raw", str(path)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def samples_of(text: str) -> list[tuple[int, int, list[str]]]:
    """Count, delay and functions of each sample, innermost first."""
    samples, _, rest = text.partition("Locations\n")
    # Names of a hostile run hold line feeds: a line of a location has its number first.
    names = {
        int(match[1]): match[2]
        for match in re.finditer(r"^ +(\d+): 0x0 (?:M=\d+ )?(\S*)", rest, re.MULTILINE)
    }
    found = []
    for line in samples.splitlines():
        match = re.match(r"\s+(\d+)\s+(\d+): ([\d ]*)$", line)
        if match:
            places = [int(place) for place in match[3].split()]
            frames = [names.get(place, "?") for place in places]
            found.append((int(match[1]), int(match[2]), frames))
    return found


@needs_go
@pytest.mark.parametrize("side", SIDES)
def test_go_reads_the_sums_of_the_tables(
    any_model: threadmodel.Model, side: str, tmp_path: Path
) -> None:
    path = tmp_path / "run.pprof"
    any_model.export(path, "pprof", side=side)
    text = raw(path)
    samples = samples_of(text)
    expected = waiters(any_model) if side == "waiters" else owners(any_model)
    assert (sum(s[0] for s in samples), sum(s[1] for s in samples)) == expected
    names = ("contentions/count", "delay/nanoseconds")
    if side == "owners":
        names = ("owner_contentions/count", "owner_delay/nanoseconds")
    assert all(name in text for name in names)


@needs_go
def test_go_reads_stacks_and_labels_of_both_sides(tmp_path: Path) -> None:
    model = handoff()
    path = tmp_path / "run.pprof"
    model.export(path, "pprof")
    assert samples_of(raw(path)) == [(1, 50, ["app.Main.step2"])]
    assert "state:[blocked]" in raw(path)
    assert "class:[app.Lock]" in raw(path)
    assert "Main.java:20" in raw(path)
    model.export(path, "pprof", side="owners")
    by_stack = {tuple(s[2]): s[:2] for s in samples_of(raw(path))}
    assert by_stack[("app.Main.step1",)] == (1, 40)
    assert sum(total for _, total in by_stack.values()) == 50


@needs_go
def test_one_state_alone_is_written(model: threadmodel.Model, tmp_path: Path) -> None:
    path = tmp_path / "run.pprof"
    (row,) = model.total()
    for state in STATES:
        model.export(path, "pprof", state)
        assert sum(s[1] for s in samples_of(raw(path))) == row[f"{state}_total_ns"]


def decode(path: Path) -> Any:
    data = profiles.ProfilesData()
    data.ParseFromString(path.read_bytes())
    assert not unknown(data)
    # A collector accepts the same bytes.
    request = service.ExportProfilesServiceRequest()
    request.ParseFromString(path.read_bytes())
    assert request.dictionary == data.dictionary
    return data


def by_type(data: Any) -> dict[str, Any]:
    (resource,) = data.resource_profiles
    (scope,) = resource.scope_profiles
    assert scope.scope.name == "threadmodel"
    assert scope.scope.version == threadmodel.__version__
    strings = data.dictionary.string_table
    return {
        f"{strings[p.sample_type.type_strindex]}/"
        f"{strings[p.sample_type.unit_strindex]}": p
        for p in scope.profiles
    }


def test_otlp_has_both_sides_with_the_sums_of_the_tables(
    any_model: threadmodel.Model, tmp_path: Path
) -> None:
    path = tmp_path / "run.otlp"
    any_model.export(path, "otlp")
    found = by_type(decode(path))
    assert {
        name: sum(value for sample in profile.samples for value in sample.values)
        for name, profile in found.items()
    } == dict(
        zip(
            (
                "contentions/count",
                "delay/nanoseconds",
                "owner_contentions/count",
                "owner_delay/nanoseconds",
            ),
            waiters(any_model) + owners(any_model),
            strict=True,
        )
    )


def test_a_dictionary_begins_empty_and_holds_what_is_referred_to(
    any_model: threadmodel.Model, tmp_path: Path
) -> None:
    path = tmp_path / "run.otlp"
    any_model.export(path, "otlp")
    data = decode(path)
    book = data.dictionary
    for table in (
        book.mapping_table,
        book.link_table,
        book.location_table,
        book.function_table,
        book.attribute_table,
        book.stack_table,
    ):
        assert table[0] == type(table[0])()
    assert book.string_table[0] == ""
    assert len(set(book.string_table)) == len(book.string_table)
    for table in (book.location_table, book.function_table, book.stack_table):
        packed = Counter(each.SerializeToString() for each in table)
        assert set(packed.values()) == {1}
    for profile in by_type(data).values():
        for sample in profile.samples:
            assert 0 < sample.stack_index < len(book.stack_table)
            for number in sample.attribute_indices:
                key = book.attribute_table[number].key_strindex
                assert book.string_table[key].startswith("threadmodel.")
    for stack in book.stack_table[1:]:
        assert all(0 < n < len(book.location_table) for n in stack.location_indices)
    for location in book.location_table[1:]:
        assert 0 < location.lines[0].function_index < len(book.function_table)
    for function in book.function_table[1:]:
        assert book.string_table[function.name_strindex]


def test_otlp_names_the_process(model: threadmodel.Model, tmp_path: Path) -> None:
    path = tmp_path / "run.otlp"
    model.export(path, "otlp")
    (resource,) = decode(path).resource_profiles
    facts = {item.key: item.value for item in resource.resource.attributes}
    assert facts["process.pid"].int_value == 4711
    assert facts["process.command_line"].string_value == "demo.Main"


def test_the_command_writes_profiles_by_their_names(
    cli: Cli, trace: Path, tmp_path: Path
) -> None:
    for name in ("run.pprof", "run.pb", "run.otlp"):
        done = cli("export", trace, "-o", name)
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    decode(tmp_path / "run.otlp")
    assert (tmp_path / "run.pprof").read_bytes() == (tmp_path / "run.pb").read_bytes()
    done = cli("export", trace, "-o", "run.otlp", "--side", "owners")
    assert done.returncode == 2
    assert b"--side is for collapsed, pprof alone" in done.stderr
