# SPDX-License-Identifier: Apache-2.0
"""A report computes its verdict and its findings once: for a large run each takes as
long as reading the run."""

import collections

import pytest
from rich.console import Console

import random_runs
from threadmodel import Model, Table, page
from threadmodel.cli import brief, terminal

ONCE = ("verdict", "findings")


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> "collections.Counter[str]":
    counts: collections.Counter[str] = collections.Counter()

    def counted(name: str) -> None:
        question = getattr(Model, name)

        def ask(*arguments: object, **named: object) -> Table:
            counts[name] += 1
            answer = question(*arguments, **named)
            assert isinstance(answer, Table)
            return answer

        monkeypatch.setattr(Model, name, ask)

    for name in (*ONCE, "verdict_members"):
        counted(name)
    return counts


@pytest.fixture
def model() -> Model:
    model = Model()
    random_runs.fill(model, 5, threads=5, objects=3, count=400)
    return model


def test_one_screen(asked: "collections.Counter[str]", model: Model) -> None:
    sections = brief.sections(model, ["run.tmt"], Console(width=120))
    assert sections
    assert [asked[name] for name in ONCE] == [1, 1]


def test_all_tables(asked: "collections.Counter[str]", model: Model) -> None:
    assert terminal.sections(model, 20)
    assert [asked[name] for name in ONCE] == [1, 1]


def test_a_page(asked: "collections.Counter[str]", model: Model) -> None:
    page.render(model)
    # Once for its words, and once as one of its tables.
    assert asked["verdict"] <= 2
    assert asked["findings"] == 1


def test_members_of_no_verdict(asked: "collections.Counter[str]") -> None:
    model = Model()
    random_runs.define(model, 2, 1)
    assert brief.sections(model, ["run.tmt"], Console(width=120))
    assert asked["verdict"] == 1
    assert asked["verdict_members"] == 0
