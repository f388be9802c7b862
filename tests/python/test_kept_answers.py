# SPDX-License-Identifier: Apache-2.0
"""Questions leave results with the model for later ones: these answer as a model does
that was never asked before, also once more events have come in."""

from collections.abc import Callable

import pytest

import random_runs
from threadmodel import Model, Table

QUESTIONS: dict[str, Callable[[Model], Table]] = {
    "blame": lambda model: model.blame(),
    "blame by owner": lambda model: model.blame(("class", "owner", "owner_method")),
    "blockers": lambda model: model.blockers(),
    "causes": lambda model: model.causes(main=True),
    "holds": lambda model: model.holds(),
    "latencies": lambda model: model.statistics(("thread", "latency")),
    "ranking": lambda model: model.whatif_rank(),
    "a class": lambda model: model.whatif("app.A"),
}


def filled(*counts: int, asks: bool) -> Model:
    model = Model()
    random_runs.define(model, threads=5, objects=3)
    events = list(random_runs.events(7, threads=5, objects=3, count=counts[-1]))
    done = 0
    for count in counts:
        model.ingest(events[done:count])
        done = count
        if asks:
            model.findings()
            model.blame()
    return model


@pytest.mark.parametrize("name", QUESTIONS)
@pytest.mark.parametrize("counts", [(2_000,), (900, 2_000)])
def test_answers_after_others(name: str, counts: tuple[int, ...]) -> None:
    ask = QUESTIONS[name]
    fresh = ask(filled(counts[-1], asks=False))
    assert list(ask(filled(*counts, asks=True))) == list(fresh)
