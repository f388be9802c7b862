# SPDX-License-Identifier: Apache-2.0
"""Dumps of the same moment by every tool of the JDK, compared with the truth."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import threadmodel
from conftest import VIRTUAL_SINCE, Java
from moments import (
    OF_BOTH,
    OF_LOCKS,
    OF_MONITORS,
    OF_VIRTUAL,
    PLATFORM,
    VIRTUAL,
    Moment,
    deadlocks,
    moment,
    states,
)

THREE = {frozenset(OF_MONITORS), frozenset(OF_LOCKS), frozenset(OF_BOTH)}


# No thread that holds a j.u.c. lock is named in a JSON dump before JDK 26.
WITHOUT_LOCKS = {
    **PLATFORM,
    **VIRTUAL,
    "wants plain": ("parked", PLATFORM["wants plain"][1], None),
    "wants fair": ("parked", PLATFORM["wants fair"][1], None),
    "wants lock": ("parked", PLATFORM["wants lock"][1], None),
    "wants monitor": ("blocked", "java.lang.Object", "wants lock"),
}


@pytest.fixture
def still(java: Java) -> Iterator[Moment]:
    with moment(java) as it:
        yield it


def test_text_with_synchronizers_shows_all(still: Moment, tmp_path: Path):
    model = threadmodel.open(still.print(tmp_path / "dump.txt", "-l"))
    assert model.damage is None
    seen = states(model)
    assert {name: seen.get(name) for name in PLATFORM} == PLATFORM
    assert deadlocks(model) == dict.fromkeys(THREE, "reported")
    assert not any("own account does not list" in caveat for caveat in model.caveats)


def test_text_without_them_takes_owners_from_the_account(still: Moment, tmp_path: Path):
    model = threadmodel.open(still.print(tmp_path / "dump.txt"))
    assert set(deadlocks(model)) == THREE
    assert states(model)["wants plain"] == PLATFORM["wants plain"]
    assert any("ownable synchronizers" in caveat for caveat in model.caveats)


def test_a_deadlock_is_one_though_the_collector_moved_its_objects(
    still: Moment, tmp_path: Path
):
    first = still.print(tmp_path / "1.txt", "-l").read_text()
    still.jcmd("GC.run")
    second = still.print(tmp_path / "2.txt", "-l").read_text()
    both = tmp_path / "both.txt"
    both.write_text(first + second)
    model = threadmodel.open(both)
    assert deadlocks(model) == dict.fromkeys(THREE, "reported")
    assert all(row["resolved_ns"] is None for row in model.deadlocks())
    seen = states(model)
    assert {name: seen[name][0] for name in PLATFORM} == {
        name: state for name, (state, _, _) in PLATFORM.items()
    }


def test_os_threads_and_daemons_are_known(still: Moment, tmp_path: Path):
    threads = {
        row["name"]: row
        for row in threadmodel.open(still.print(tmp_path / "dump.txt")).threads()
    }
    assert threads["runs"]["daemon"]
    assert not threads["main"]["daemon"]
    assert "VM Thread" not in threads


@pytest.fixture
def virtual(java: Java) -> Iterator[Moment]:
    if java.jdk.release < VIRTUAL_SINCE:
        pytest.skip(f"virtual threads need JDK {VIRTUAL_SINCE}")
    with moment(java, virtual=True) as it:
        yield it


# Since this release a dump to a file has states, and the objects waited for.
STATES_SINCE = 25
# Since this one a heap dump has the stacks of unmounted virtual threads.
UNMOUNTED_SINCE = 24
UNMOUNTED = {"virtual sleeper", "virtual parked", "virtual holder", "virtual queued"}


@pytest.fixture
def at_rest(virtual: Moment) -> Moment:
    """The same, with a JDK whose dumps to files have states."""
    if virtual.java.jdk.release < STATES_SINCE:
        pytest.skip(f"before JDK {STATES_SINCE} a file has names and stacks alone")
    return virtual


def dump_json(still: Moment, file: Path) -> Path:
    return still.dump("Thread.dump_to_file", file, "-format=json")


def test_json_shows_virtual_threads_and_their_deadlock(at_rest: Moment, tmp_path: Path):
    model = threadmodel.open(dump_json(at_rest, tmp_path / "dump.json"))
    assert model.damage is None
    seen = states(model)
    assert {name: seen.get(name) for name in WITHOUT_LOCKS} == WITHOUT_LOCKS
    of_virtual = {row["name"] for row in model.threads() if row["virtual"]}
    assert set(VIRTUAL) <= of_virtual
    assert not set(PLATFORM) & of_virtual
    # Threads were examined one by one: only a second dump makes it certain.
    two = {frozenset(OF_MONITORS), frozenset(OF_VIRTUAL)}
    assert deadlocks(model) == dict.fromkeys(two, "inferred")


def test_two_json_dumps_confirm_a_deadlock(at_rest: Moment, tmp_path: Path):
    first = dump_json(at_rest, tmp_path / "1.json").read_text()
    at_rest.jcmd("GC.run")
    second = dump_json(at_rest, tmp_path / "2.json").read_text()
    both = tmp_path / "both.json"
    both.write_text(first + second)
    model = threadmodel.open(both)
    two = {frozenset(OF_MONITORS), frozenset(OF_VIRTUAL)}
    assert deadlocks(model) == dict.fromkeys(two, "reported")
    assert {name: states(model).get(name) for name in WITHOUT_LOCKS} == WITHOUT_LOCKS


def test_a_file_without_states_has_names_and_stacks(virtual: Moment, tmp_path: Path):
    if virtual.java.jdk.release >= STATES_SINCE:
        pytest.skip(f"since JDK {STATES_SINCE} a file has states")
    model = threadmodel.open(dump_json(virtual, tmp_path / "dump.json"))
    assert model.damage is None
    seen = states(model)
    of_virtual = {row["name"] for row in model.threads() if row["virtual"]}
    assert of_virtual & {*PLATFORM, *VIRTUAL} == set(VIRTUAL)
    for name, (state, _, _) in {**PLATFORM, **VIRTUAL}.items():
        # By its frames: a thread that reenters is in Object.wait, like one that waits.
        wanted = {"deadlocked": "parked", "reentering": "waiting"}.get(state, state)
        assert seen[name] in ((wanted, None, None), ("unknown", None, None)), name
    assert seen["sleeper"][0] == "sleeping"
    assert seen["virtual waiter"][0] == "waiting"
    assert deadlocks(model) == {}


def dump_plain(still: Moment, file: Path) -> Path:
    return still.dump("Thread.dump_to_file", file, "-format=plain")


def places(model: threadmodel.Model) -> dict[str, tuple[object, ...]]:
    """State, place and object of each thread of the program that does not run."""
    columns = ("thread_id", "state", "class", "object", "peer", "method", "line")
    return {
        row["thread"]: tuple(row[column] for column in columns)
        for row in model.timeline()
        if row["state"] != "running" and row["thread"] in {**PLATFORM, **VIRTUAL}
    }


def test_plain_text_and_json_to_a_file_are_one_model(at_rest: Moment, tmp_path: Path):
    plain = threadmodel.open(dump_plain(at_rest, tmp_path / "dump.txt"))
    json = threadmodel.open(dump_json(at_rest, tmp_path / "dump.json"))
    assert plain.damage is None
    assert plain.run.format == "plain"
    assert (plain.run.pid, plain.run.vm) == (json.run.pid, json.run.vm)
    assert places(plain) == places(json)
    assert set(places(plain)) == {*PLATFORM, *VIRTUAL} - {"runs", "virtual runs"}
    for name in ("runs", "virtual runs"):
        assert states(plain)[name] == states(json)[name]
    assert deadlocks(plain) == deadlocks(json)
    of_virtual = {row["name"] for row in plain.threads() if row["virtual"]}
    assert set(VIRTUAL) <= of_virtual
    assert not set(PLATFORM) & of_virtual


def test_two_plain_files_confirm_a_deadlock(at_rest: Moment, tmp_path: Path):
    files = [dump_plain(at_rest, tmp_path / f"{name}.txt") for name in "ab"]
    model = threadmodel.open(files)
    two = {frozenset(OF_MONITORS), frozenset(OF_VIRTUAL)}
    assert deadlocks(model) == dict.fromkeys(two, "reported")


def test_json_and_text_of_a_moment_are_one_model(at_rest: Moment, tmp_path: Path):
    json = threadmodel.open(dump_json(at_rest, tmp_path / "dump.json"))
    text = threadmodel.open(at_rest.print(tmp_path / "dump.txt"))
    both = []
    for model in (json, text):
        both.append(
            {
                row["thread_id"]: (row["thread"], row["class"], row["method"])
                for row in model.timeline()
                if row["thread"] in PLATFORM
            }
        )
    assert both[0] == both[1]
    assert states(json)["virtual runs"][0] == "running"
    # It reads from its standard input.
    assert states(json)["main"][0] == "io"
    # A virtual thread has no name in the text, but its number.
    ids = {row["name"]: row["thread_id"] for row in json.threads()}
    mounted = [row["thread_id"] for row in text.threads() if row["virtual"]]
    assert mounted == [ids["virtual runs"]]


def test_a_reply_that_the_jvm_cut_is_read_as_far_as_it_goes(
    at_rest: Moment, tmp_path: Path
):
    whole = dump_json(at_rest, tmp_path / "dump.json").read_bytes()
    cut = tmp_path / "cut.json"
    cut.write_bytes(whole[:16000])
    with pytest.warns(threadmodel.DamagedTraceWarning, match="at byte 16000"):
        model = threadmodel.open(cut)
    assert states(model)["wants first"] == WITHOUT_LOCKS["wants first"]


def test_several_paths_are_one_time_line_in_the_order_of_their_times(
    still: Moment, tmp_path: Path
):
    files = [still.print(tmp_path / f"{name}.txt") for name in "cab"]
    text = files[0].read_text()
    for number, file in enumerate(files):
        # Three seconds of the same day, which the JVM need not have waited for.
        file.write_text(
            text.replace(text.splitlines()[1], f"2026-01-01 0{number}:00:00")
        )
    model = threadmodel.open([files[2], files[0], files[1]])
    assert model.length_ns == 2 * 3600 * 10**9
    assert model.run.source == f"{files[0]} and 2 more"
    assert states(model)["blocked"] == PLATFORM["blocked"]
    assert set(deadlocks(model)) == THREE
    sampled = [row for row in model.findings() if row["kind"] == "sampled_block"]
    assert {row["thread"] for row in sampled} == {"blocked", "reenters"}
    assert all("in 3 of 3 dumps at the same line" in row["text"] for row in sampled)
    with pytest.raises(threadmodel.FormatError, match="not of the same format"):
        threadmodel.open(
            [files[0], Path(__file__).parents[1] / "data/dumps/jdk21.json"]
        )


def test_a_heap_dump_shows_states_and_owners_of_locks(still: Moment, tmp_path: Path):
    model = threadmodel.open(still.dump("GC.heap_dump", tmp_path / "heap.hprof"))
    assert model.damage is None
    seen = states(model)
    # The file does not state which objects are monitors.
    truth = {
        name: (
            "blocked" if name in OF_MONITORS else state,
            lock if lock and (state == "parked" or "ReentrantLock" in lock) else None,
            owner if name in OF_LOCKS else None,
        )
        for name, (state, lock, owner) in PLATFORM.items()
    }
    truth["wants lock"] = ("parked", PLATFORM["wants lock"][1], "wants monitor")
    truth["wants monitor"] = ("blocked", None, None)
    assert {name: seen.get(name) for name in truth} == truth
    assert deadlocks(model) == {frozenset(OF_LOCKS): "reported"}
    threads = {row["name"]: row for row in model.threads()}
    assert threads["runs"]["daemon"]
    assert threads["runs"]["group"] == "main"
    text = threadmodel.open(still.print(tmp_path / "dump.txt"))
    ids = {row["name"]: row["thread_id"] for row in text.threads()}
    assert {name: threads[name]["thread_id"] for name in PLATFORM} == {
        name: ids[name] for name in PLATFORM
    }
    both = []
    for one in (model, text):
        both.append(
            {
                row["thread"]: (row["method"], row["line"])
                for row in one.timeline()
                if row["thread"] in PLATFORM and row["state"] != "running"
            }
        )
    assert both[0] == both[1]


def test_a_heap_dump_shows_virtual_threads(virtual: Moment, tmp_path: Path):
    model = threadmodel.open(virtual.dump("GC.heap_dump", tmp_path / "heap.hprof"))
    seen = states(model)
    has_all = virtual.java.jdk.release >= UNMOUNTED_SINCE
    for name, (state, lock, _) in VIRTUAL.items():
        if name in UNMOUNTED and not has_all:
            assert seen[name] == ("unknown", None, None), name
            continue
        assert seen[name][0] == ("blocked" if name in OF_VIRTUAL else state), name
        if state == "parked":
            assert seen[name][1] == lock
    if has_all:
        assert seen["virtual queued"][2] == "virtual holder"
    assert set(VIRTUAL) <= {row["name"] for row in model.threads() if row["virtual"]}
