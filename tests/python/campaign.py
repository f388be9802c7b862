# SPDX-License-Identifier: Apache-2.0
"""Tests on hundreds of runs, or on thousands with TM_TEST_FULL.

A test that is a campaign takes a seed, from which :func:`run_of` makes a run.
Hypothesis draws the seeds, and prints one that fails. They are the same in each check,
but new ones in each full check.
"""

import functools
import os
import random
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import random_runs
import threadmodel
from lockworld import Program, Steps, World, started_by_main
from threadmodel import Model

FULL = "TM_TEST_FULL" in os.environ
SIMULATOR = Path(__file__).resolve().parents[2] / "build/tests/oracle/simulator"
SIMULATED = 2000 if FULL else 300

Test = Callable[[int], None]


def campaign(quick: int, full: int) -> Callable[[Test], Callable[[], None]]:
    """Run a test with this many seeds.

    Args:
        quick: in a plain check
        full: with TM_TEST_FULL
    """
    choices = settings(
        max_examples=full if FULL else quick,
        derandomize=not FULL,
        deadline=None,
        database=None,
        # A smaller seed does not make a smaller run.
        phases=(Phase.explicit, Phase.generate),
        suppress_health_check=list(HealthCheck),
    )

    def decorate(test: Test) -> Callable[[], None]:
        return choices(given(seed=st.integers(0, 2**32 - 1))(test))

    return decorate


def run_of(seed: int) -> Model:
    """Return the run of a seed, of one of three worlds.

    Events of any kind in any order; programs under fair locks; and a producer's events
    of a JVM's threads, some of them left out.
    """
    world = seed % 3
    if world == 0:
        return any_events(seed)
    if world == 1:
        return fair_locks(seed)
    return simulated(seed)


def any_events(seed: int) -> Model:
    """Return a run of events of any kind, most of them possible."""
    model = Model()
    random_runs.fill(model, seed, **any_size(seed))
    return model


def any_size(seed: int) -> dict[str, int]:
    """Return the size of a run of :func:`any_events`."""
    size = random.Random(seed)
    return {
        "threads": size.randint(2, 8),
        "objects": size.randint(1, 4),
        "count": size.randint(10, 250),
    }


def fair_locks(seed: int) -> Model:
    """Return a run of random programs under fair locks; everything is reported."""
    model = Model()
    random_world(seed).fill(model)
    return model


def simulated(seed: int) -> Model:
    """Return one of the runs that the simulator of tests/oracle makes."""
    if not SIMULATOR.exists():  # the tests of an installed package
        return any_events(seed)
    number = 1 + seed // 3 % SIMULATED
    return threadmodel.open(Path(_traces().name) / f"{number}.tmt")


@functools.cache
def _traces() -> "tempfile.TemporaryDirectory[str]":
    folder = tempfile.TemporaryDirectory(prefix="threadmodel-")
    subprocess.run(
        [SIMULATOR, "--runs", str(SIMULATED), "--traces", folder.name], check=True
    )
    return folder


def random_world(seed: int) -> World:
    """Return a world in which main starts two to six random programs."""
    workers = 2 + random.Random(seed).randrange(5)
    ids = range(2, 2 + workers)
    return World(started_by_main({id: _program(seed, id, workers) for id in ids}))


def _program(seed: int, id: int, workers: int) -> Program:
    """Make a program of all kinds of steps that cannot be stuck for long."""

    def run(world: World) -> Steps:
        chance = random.Random(seed * 1000 + id)
        for _ in range(chance.randint(5, 25)):
            yield "work", chance.randint(1, 400)
            choice = chance.randrange(6)
            lock = 1 + chance.randrange(3)
            if choice < 3:
                yield "enter", lock
                yield "work", chance.randint(1, 300)
                if chance.random() < 0.3 and lock < 3:
                    yield "enter", lock + 1
                    yield "work", chance.randint(1, 100)
                    yield "exit", lock + 1
                if chance.random() < 0.4:
                    yield ("notify_all" if chance.random() < 0.3 else "notify"), lock
                if chance.random() < 0.15:
                    yield "wait", lock
                    yield "work", chance.randint(1, 50)
                yield "exit", lock
            elif choice == 3:
                yield "sleep", chance.randint(1, 500)
            elif choice == 4:
                yield "unpark", 2 + chance.randrange(workers)
            elif chance.random() < 0.4:
                yield ("park",)

    return run
