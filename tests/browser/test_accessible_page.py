# SPDX-License-Identifier: Apache-2.0
"""Each view by the rules of axe: roles, names, contrast, order of headings."""

import json
from pathlib import Path
from typing import Any

import pytest

import random_runs
import threadmodel
from conftest import VIEWS, Show, go
from threadmodel import Event, EventFlag, EventKind

ROOT = Path(__file__).resolve().parents[2]
AXE = ROOT / "bindings/python/report/node_modules/axe-core/axe.min.js"
# Passed checks are counted and not listed: their list takes most of the time.
RULES = "() => axe.run(document, {resultTypes: ['violations']})"


@pytest.fixture(scope="module")
def model() -> threadmodel.Model:
    """A run with something in every view: findings, a deadlock, all states."""
    model = threadmodel.Model()
    random_runs.fill(model, 9, threads=8, objects=5, count=3000)
    time_ns = model.length_ns + 1000
    for thread, wanted, owner in ((101, 901, 102), (102, 902, 101)):
        model.define_thread(thread, f"stuck-{thread}", "g1")
        model.ingest(
            [
                Event(
                    time_ns + thread,
                    thread,
                    EventKind.CONTENDED_ENTER,
                    object=wanted,
                    peer=owner,
                    flags=EventFlag.PEER_REPORTED,
                )
            ]
        )
    return model


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_view_breaks_a_rule(
    show: Show, model: threadmodel.Model, scheme: str
) -> None:
    # The page's policy lets no script in; what looks at it is let in by the browser.
    page = show(model, color_scheme=scheme, bypass_csp=True)
    page.evaluate(AXE.read_text())
    broken: dict[str, Any] = {}
    for view in VIEWS:
        go(page, view)
        if view == "timeline":
            page.get_by_role("application", name="Timeline of threads").focus()
            page.keyboard.press("ArrowDown")
            # The views that follow are of a part.
            page.keyboard.press("+")
            page.get_by_role("button", name="Critical path").click()
            page.get_by_role("button", name="Locks", exact=True).click()
            page.get_by_role("button", name="First").click()
            page.get_by_role("button", name="Show as a table").click()
            page.wait_for_selector("[role=grid]")
        elif view != "overview":
            page.locator(".part").wait_for()
        found = page.evaluate(RULES)["violations"]
        for rule in found:
            where = [node["target"] for node in rule["nodes"]]
            broken[f"{view}: {rule['id']}, {rule['impact']}"] = where[:5]
    assert broken == {}, json.dumps(broken, indent=1)
