# SPDX-License-Identifier: Apache-2.0
"""Groups of runs compared with their noise: real and apparent differences."""

import itertools
import json
import random
from pathlib import Path
from statistics import fmean, median

import pytest

import threadmodel
from conftest import Cli
from threadmodel import Event, EventKind, Frame, Model, Run, Sink
from threadmodel.cli.regressions import regressions
from threadmodel.noise import chance, least_chance

MS = 1_000_000
TEN = 10
PLACES = 6
TURNS = 40
FALSE_ALARMS_OF_A_HUNDRED = 1


def emit(sink: Sink, seed: int, slower: float = 1.0, warm_up_ms: int = 0) -> None:
    """Two threads that do fixed work; the second queues at some places for noisy times.

    At the first place it is blocked for longer by a factor. A warm-up is a block too,
    whose length has nothing to do with that.
    """
    dice = random.Random(seed)
    kind = EventKind
    sink.define_run(Run(start_ns=1))
    sink.define_class(1, "app.Ledger", "Ledger.java")
    sink.define_object(100, 1)
    sink.define_thread(1, "main")
    sink.define_thread(2, "worker")
    for place in range(1, PLACES + 1):
        sink.define_method(place, 1, f"post{place}")
        sink.define_stack(place, [Frame(place, line=place)])
    events = [Event(1, 1, kind.THREAD_START), Event(1, 2, kind.THREAD_START)]
    now = 1

    def block(place: int, ms: float) -> None:
        nonlocal now
        block = {"object": 100, "stack": place}
        events.append(Event(now, 2, kind.CONTENDED_ENTER, **block))
        now += round(ms * MS)
        events.append(Event(now, 2, kind.CONTENDED_ENTERED, object=100))
        now += 2 * MS

    if warm_up_ms:
        block(PLACES, warm_up_ms * dice.uniform(0.2, 1))
        now = warm_up_ms * MS * 2
    # Noise of the run as a whole, and of each block.
    pace = dice.lognormvariate(0, 0.03)
    for _ in range(TURNS):
        for place in range(1, PLACES + 1):
            own = slower * 12 if place == 1 else 2
            block(place, own * pace * dice.lognormvariate(0, 0.2))
    events += [Event(now, 1, kind.THREAD_END), Event(now, 2, kind.THREAD_END)]
    sink.ingest(events)


def group(seed: int, slower: float = 1.0, runs: int = TEN) -> list[Model]:
    models = [Model() for _ in range(runs)]
    for number, model in enumerate(models):
        emit(model, seed * 1000 + number, slower)
    return models


def files(folder: Path, name: str, seed: int, slower: float = 1.0) -> list[Path]:
    paths = [folder / f"{name}{number}.tmt" for number in range(TEN)]
    for number, path in enumerate(paths):
        with threadmodel.Writer(path) as writer:
            emit(writer, seed * 1000 + number, slower, warm_up_ms=300)
    return paths


def test_chance_is_the_share_of_ways_to_deal_the_runs_that_differ_as_much() -> None:
    before, after = [1.0, 2.0, 3.0], [2.5, 4.0, 5.0, 6.0]
    order = sorted([*before, *after])
    pool = [order.index(value) for value in (*before, *after)]
    seen = abs(fmean(pool[len(before) :]) - fmean(pool[: len(before)]))
    ways = list(itertools.combinations(range(len(pool)), len(after)))
    hits = 0
    for way in ways:
        dealt = [pool[i] for i in way]
        rest = [pool[i] for i in range(len(pool)) if i not in way]
        hits += abs(fmean(dealt) - fmean(rest)) >= seen - 1e-12
    assert chance(before, after) == pytest.approx(hits / len(ways))
    assert chance(after, before) == pytest.approx(hits / len(ways))


@pytest.mark.parametrize(("before", "after"), [(2, 2), (3, 3), (3, 5), (4, 2)])
def test_least_chance_is_that_of_groups_that_lie_apart(before: int, after: int) -> None:
    found = chance([float(i) for i in range(before)], [100.0 + i for i in range(after)])
    assert found == pytest.approx(least_chance(before, after))


def test_one_run_on_a_side_shows_no_noise() -> None:
    assert chance([1.0], [2.0, 3.0]) is None
    assert chance([1.0, 2.0], []) is None


def test_equal_figures_differ_by_chance_alone() -> None:
    assert chance([0.0] * 4, [0.0] * 4) == 1.0
    assert chance([0.1, 0.2, 0.3], [0.3, 0.1, 0.2]) == pytest.approx(1.0)


def test_one_outlier_hides_no_difference() -> None:
    found = chance([1.0 + i / 100 for i in range(10)], [1.2] * 9 + [9.0])
    assert found is not None
    assert found < 0.001


def test_of_equal_groups_few_seem_to_differ() -> None:
    dice = random.Random(5)
    low = 0
    for _ in range(400):
        values = [dice.lognormvariate(0, 0.5) for _ in range(2 * TEN)]
        found = chance(values[:TEN], values[TEN:])
        assert found is not None
        low += found <= 0.05
    # Of 400 20 are expected; 36 would be a chance of one in a thousand.
    assert 6 <= low <= 36


def test_medians_of_groups_are_compared_row_by_row() -> None:
    before, after = group(1, runs=3), group(2, 1.5, runs=4)
    found = threadmodel.compare(before, after)
    assert found.runs == (3, 4)
    (run,) = found.run
    assert run["length_ns_before"] == round(median(m.length_ns for m in before))
    assert run["length_ns_after"] == round(median(m.length_ns for m in after))
    lengths = [[m.length_ns for m in side] for side in (before, after)]
    assert run["length_ns_chance"] == chance(*lengths)
    rows = {row["method"]: row for row in found.callers}
    assert len(rows) == PLACES
    for side, models in (("before", before), ("after", after)):
        for method, row in rows.items():
            own = [
                caller["blocked_total_ns"]
                for model in models
                for caller in model.callers()
                if caller["method"] == method
            ]
            assert row[f"blocked_total_ns_{side}"] == round(median(own))


def test_what_one_run_of_a_group_lacks_is_nothing_there() -> None:
    empty = Model()
    (one,) = group(1, runs=1)
    found = threadmodel.compare([one, empty], [one, one])
    for row in found.callers:
        after = row["blocked_total_ns_after"]
        assert row["blocked_total_ns_before"] == pytest.approx(after / 2, abs=1)
        assert row["blocked_p99_ns_before"] == row["blocked_p99_ns_after"]


def test_a_window_leaves_the_warm_up_out() -> None:
    one, other = Model(), Model()
    emit(one, 7, warm_up_ms=300)
    emit(other, 7)
    start_ns = 600 * MS - 1
    found = threadmodel.compare(
        one, other, part=threadmodel.Selection(window=(start_ns, None))
    )
    (run,) = found.run
    assert run["length_ns_before"] == one.length_ns - start_ns
    row = next(row for row in found.callers if row["method"] == "app.Ledger.post6")
    assert row["blocked_count_before"] == TURNS


@pytest.mark.parametrize("seed", range(4))
def test_a_tenth_more_is_found_among_ten_runs_and_nothing_between_equal_ones(
    cli: Cli, tmp_path: Path, seed: int
) -> None:
    base = files(tmp_path, "base", 10 + seed)
    same = files(tmp_path, "same", 20 + seed)
    slow = files(tmp_path, "slow", 30 + seed, 1.1)
    bases = [part for path in base for part in ("--no-regression", path)]
    done = cli("check", *same, *bases, "--from", "600")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    done = cli("check", *slow, *bases, "--from", "600")
    assert done.returncode == 1
    assert b"app.Ledger.post1:1: threads queued for" in done.stdout
    assert b"by chance:" in done.stdout


def test_regressions_of_equal_runs_are_rarer_than_one_check_in_a_hundred() -> None:
    alarms = sum(
        bool(regressions(threadmodel.compare(group(seed), group(seed + 500)), None))
        for seed in range(60)
    )
    assert alarms <= FALSE_ALARMS_OF_A_HUNDRED


@pytest.mark.parametrize("runs", [2, 3, 5])
def test_of_few_runs_each_must_be_slower_by_a_quarter(
    cli: Cli, tmp_path: Path, runs: int
) -> None:
    base = files(tmp_path, "base", 1)[:runs]
    bases = [part for path in base for part in ("--no-regression", path)]
    for name, factor, status in (
        ("same", 1.0, 0),
        ("slower", 1.1, 0),
        ("slow", 2.0, 1),
    ):
        others = files(tmp_path, name, 2, factor)[:runs]
        done = cli("check", *others, *bases, "--from", "600")
        assert done.returncode == status, (name, done.stdout)
        assert f"{runs} and {runs} runs are too few".encode() in done.stderr


def test_of_few_runs_one_that_is_fast_is_no_regression(
    cli: Cli, tmp_path: Path
) -> None:
    base, slow = files(tmp_path, "base", 1), files(tmp_path, "slow", 2, 2.0)
    bases = [part for path in base[:3] for part in ("--no-regression", path)]
    done = cli("check", *slow[:2], base[0], *bases, "--from", "600")
    assert (done.returncode, done.stdout) == (0, b"")


def test_diff_of_groups_shows_medians_and_chances(cli: Cli, tmp_path: Path) -> None:
    before, after = files(tmp_path, "a", 1)[:3], files(tmp_path, "b", 2, 2.0)[:3]
    more = [
        part
        for name, paths in (("--before", before), ("--after", after))
        for path in paths[1:]
        for part in (name, path)
    ]
    done = cli("diff", before[0], after[0], *more, "--from", "600")
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"3 -> 3" in done.stdout
    assert b"by chance: 10.00%" in done.stdout
    found = cli("diff", before[0], after[0], *more, "--json").stdout
    assert json.loads(found)["run"][0]["length_ns_chance"] == pytest.approx(0.1)


def test_idle_time_is_no_change(cli: Cli, tmp_path: Path) -> None:
    paths = []
    for name, ms in (("a", 10), ("b", 500)):
        paths.append(tmp_path / name)
        with threadmodel.Writer(paths[-1]) as sink:
            sink.define_run(Run(start_ns=1))
            sink.define_class(1, "java.util.concurrent.ThreadPoolExecutor")
            sink.define_method(1, 1, "getTask")
            sink.define_stack(1, [Frame(1)])
            sink.define_object(100, 1)
            sink.define_thread(1, "worker")
            sink.ingest(
                [
                    Event(1, 1, EventKind.THREAD_START),
                    Event(2, 1, EventKind.PARK, object=100, stack=1),
                    Event(2 + ms * MS, 1, EventKind.UNPARKED, object=100),
                    Event(600 * MS, 1, EventKind.THREAD_END),
                ]
            )
    done = cli("diff", *paths)
    assert b"nothing changed" in done.stdout
    (row,) = json.loads(cli("diff", *paths, "--json").stdout)["callers"]
    assert row["idle"] is True
    assert row["parked_total_ns_change"] == 490 * MS
