# SPDX-License-Identifier: Apache-2.0
"""Why a thread did not run: the page says what `threadmodel explain` prints."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

import random_runs
import story
import threadmodel
from conftest import Show, state
from threadmodel import drawn

RECORDING = Path(__file__).parents[1] / "data/traces/demo-version-1.tmt"
MS = story.MS
STOPPED = ("blocked", "waiting", "reentering", "joining", "sleeping", "parked")
STOPPED += ("deadlocked",)
# Of each interval of one state: its thread, begin and end, and its chain.
CHAINS = """(() => {
    const { lanes, threads, chains } = s.data;
    const level = lanes.finest;
    return threads.flatMap(({ index, id }) => {
        const found = [];
        for (let row = level.first[index]; row < level.first[index + 1]; row++)
            if (level.count[row] === 1) {
                const [start, end] = [level.start[row], level.end[row]];
                const middle = start + Math.floor((end - start) / 2);
                found.push([String(id), start, end, chains.of(index, middle)]);
            }
        return found;
    });
})()"""


def random_run() -> threadmodel.Model:
    model = threadmodel.Model()
    random_runs.fill(model, 9, threads=7, objects=4, count=2500)
    return model


def recorded() -> threadmodel.Model:
    return threadmodel.open(RECORDING)


def sentences(model: threadmodel.Model, thread: int, at_ns: int) -> list[str]:
    return list(model.explain(thread=thread, at_ns=at_ns)["text"])


@pytest.mark.parametrize("run", [random_run, recorded])
def test_every_interval_has_the_answer_of_explain(show: Show, run: Any) -> None:
    model = run()
    page = show(model, "timeline")
    stopped = {
        (row["thread_id"], row["start_ns"], row["end_ns"])
        for row in model.timeline()
        if row["state"] in STOPPED
    }
    explained = 0
    for thread, start, end, chain in state(page, CHAINS):
        if chain is None or start == end:
            continue
        assert (int(thread), start, end) in stopped
        assert chain["at"] == start + (end - start) // 2
        shown = [step["text"] for step in chain["steps"]]
        assert shown == sentences(model, int(thread), chain["at"])
        explained += 1
    assert explained > 100


def chosen(page: Page, lane: int, at_ns: int) -> list[str]:
    """Choose an interval by its address and return the panel's chain."""
    page.evaluate(
        """([lane, at]) => {
            const { id } = threadmodelTimeline.state.data.threads[lane];
            location.hash = `#timeline&thread=${id}&at=${at}`;
        }""",
        [lane, at_ns],
    )
    page.wait_for_selector(f".panel[data-lane='{lane}']")
    return page.locator(".why li").all_inner_texts()


def nested() -> threadmodel.Model:
    """A thread blocked by one that is blocked by one that sleeps."""
    played = story.Story(3)
    played.at(1, 3, story.KIND.SLEEP, stack=story.SLOW).at(40, 3, story.KIND.SLEPT)
    played.block(5, 41, 2, owner=3, lock=story.OTHER)
    played.block(10, 42, 1, owner=2)
    played.findings()
    return played.model


def test_a_chosen_interval_is_explained_down_to_the_root_cause(show: Show) -> None:
    model = nested()
    page = show(model, "timeline")
    shown = chosen(page, 0, 20 * MS)
    wanted = sentences(model, 1, 26 * MS)
    assert len(wanted) == 3
    assert [text.removesuffix(" Show") for text in shown] == wanted
    # From a step to what its thread did then: that is explained, too.
    page.locator(".why li").nth(1).get_by_role("button", name="Show").click()
    page.wait_for_selector(".panel[data-lane='1']")
    assert page.locator(".why li").count() == 2


def test_a_thread_that_ran_is_not_explained(show: Show) -> None:
    page = show(nested(), "timeline")
    assert chosen(page, 0, 42 * MS) == []
    assert page.locator(".why").count() == 0


def test_beyond_what_the_file_holds_it_names_the_command(
    show: Show, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(drawn, "CHAINS", 1)
    model = threadmodel.open(RECORDING)
    page = show(model, "timeline")
    rows = [row for row in model.timeline() if row["state"] == "blocked"]
    row = min(rows, key=lambda one: one["end_ns"] - one["start_ns"])
    lanes = list(model.threads()["thread_id"])
    middle = (row["start_ns"] + row["end_ns"]) // 2
    chosen(page, lanes.index(row["thread_id"]), middle)
    command = page.locator(".why code").inner_text()
    words = [str(RECORDING) if word == "FILE" else word for word in command.split()]
    assert words[0] == "threadmodel"
    done = subprocess.run(
        [sys.executable, "-m", *words, "--json"],
        env={**os.environ, "PYTHONPATH": str(Path(threadmodel.__file__).parents[1])},
        stdout=subprocess.PIPE,
        check=True,
    )
    shown = [step["text"] for step in json.loads(done.stdout)]
    assert shown == sentences(model, row["thread_id"], middle)
