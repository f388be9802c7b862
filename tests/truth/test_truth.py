# SPDX-License-Identifier: Apache-2.0
"""Certain answers about programs that know the truth are right: `./dev bench truth` in
small, and its judge."""

import pytest

import answers
import chains
import cycles
import owners
import previous
import readers
from answers import FREE, OWNED, UNKNOWN, Stretch
from jdks import AGENT, JDKS
from owners import Tally, Tenure, Truth
from rows import CLASSES, KINDS, MICRO, MILLI, Locks, recorded
from runs import BRIEF, Workshop
from table import Goal, Line

A, B, C = 1, 2, 3


@pytest.fixture(scope="module", params=JDKS or [None], ids=str)
def shop(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Workshop:
    if request.param is None:
        pytest.skip("no JDK in JAVA_HOME or /usr/lib/jvm")
    if not AGENT.exists():
        pytest.skip(f"no agent in {AGENT}")
    return Workshop(request.param, tmp_path_factory.mktemp("truth"))


def answer_for_a_block(*stretches: Stretch) -> Tally:
    """C is blocked from 0 to 100: A has the lock to 40, B from 50 to 90."""
    truth = Truth(
        [
            Tenure(A, -10, -10, 40, 42),
            Tenure(B, 0, 50, 90, 91),
            Tenure(C, 0, 100, 101, 102),
        ]
    )
    tally = Tally()
    owners.count_block(
        tally, truth, owners.answered(list(stretches), 0, 100, gap=UNKNOWN)
    )
    return tally


def test_an_answer_that_is_the_truth_is_judged_right():
    tally = answer_for_a_block(
        Stretch(0, 40, OWNED, A, True),
        Stretch(40, 50, FREE),
        Stretch(50, 90, OWNED, B, True),
        Stretch(90, 100, FREE),
    )
    assert (tally.right, tally.wrong, tally.unknown) == (80, 0, 0)
    assert (tally.free, tally.free_found, tally.free_charged) == (20, 20, 0)


def test_time_of_another_owner_is_wrong_and_sure_only_where_it_is_marked():
    tally = answer_for_a_block(
        Stretch(0, 60, OWNED, A, True), Stretch(60, 95, OWNED, A)
    )
    assert (tally.right, tally.wrong, tally.wrong_sure) == (40, 40, 10)
    assert (tally.free, tally.free_charged) == (20, 15)
    # Up to the stamp after its release it may have had it.
    assert tally.free_sure == 8


def test_time_without_an_answer_is_unknown():
    tally = answer_for_a_block(Stretch(20, 30, OWNED, A))
    assert (tally.right, tally.unknown, tally.wrong) == (10, 70, 0)


def test_of_who_lets_go_and_ends_or_goes_on_nobody_else_is_named_for_certain(
    shop: Workshop,
):
    run = shop.record("Releases", 1)
    lines = [Line(kind, shop.jdk, Goal()) for kind in KINDS]
    previous.judge_scenes(lines, run, by="interactions")
    assert [line.cases for line in lines] == [16] * len(KINDS)
    assert [line.sure for line in lines] == [0] * len(KINDS)


@pytest.mark.parametrize("kind", KINDS)
def test_of_two_threads_the_one_without_the_lock_is_never_named_for_certain(
    shop: Workshop, kind: str
):
    locks = Locks(kind, 2, 100 * MICRO, 2 * MILLI, 300)
    run, truth = recorded(shop, locks)
    for by in ["blame", *(["holds"] if answers.has_holds(run) else [])]:
        tally = owners.judge(run, truth, CLASSES[kind], by=by)
        assert tally.blocks > 0
        assert tally.right > 0
        assert tally.wrong_sure == 0


def test_readers_that_a_writer_lets_in_have_holds_of_their_own(shop: Workshop):
    run = shop.record("Readers", 4, 2 * MILLI, 300, 1)
    line = Line("readers", shop.jdk, Goal())
    readers.judge(line, run)
    assert line.right > 0
    assert line.sure == 0


@pytest.mark.parametrize("mode", ["joins", "chain of futures", "pipeline"])
def test_the_path_is_with_the_steps_that_decided(shop: Workshop, mode: str):
    run = chains.record(shop, mode, "agent")
    if run is None:
        pytest.skip("the machine is too busy for one step to follow another")
    assert chains.verdict(chains.chain(run), answers.path(run)) == "right"


def test_a_deadlock_is_reported_with_all_of_its_members(shop: Workshop):
    kinds = ("mm", "lll", "mle")
    run = shop.record("Cycles", cycles.STAY_MS, *kinds, flags=BRIEF)
    line = Line("deadlock", shop.jdk, Goal())
    cycles.judge(line, run, kinds)
    assert line.right == line.cases == len(kinds)
