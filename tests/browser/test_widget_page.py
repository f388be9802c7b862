# SPDX-License-Identifier: Apache-2.0
"""The lanes of a notebook: the real widget's two halves, with the test in between."""

import builtins
import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page
from test_hostile_page import hostile

import random_runs
import threadmodel
from conftest import PATIENCE_MS, Watched, state
from threadmodel import Selection, fleet, lanes
from threadmodel.errors import MissingExtraError
from threadmodel.fleet_dataset import Dataset
from threadmodel.fleet_report import Report
from threadmodel.fleet_view import FleetView

# Plays the part of the notebook: hands the widget its state, and its messages on.
HOST = """async ([source, pack, report]) => {
    const url = URL.createObjectURL(new Blob([source], { type: 'text/javascript' }));
    const { default: widget } = await import(url);
    const bytes = text => Uint8Array.from(atob(text), c => c.charCodeAt(0));
    const heard = new Set();
    const model = {
        get: name => name === 'report' ? report : new DataView(bytes(pack).buffer),
        on: (_, listener) => heard.add(listener),
        off: (_, listener) => heard.delete(listener),
        send: message => void kernel(JSON.stringify(message)).then(text => {
            const { content, buffers } = JSON.parse(text);
            const views = buffers.map(b => new DataView(bytes(b).buffer));
            heard.forEach(listener => listener(content, views));
        }),
    };
    globalThis.stop = await widget.render({ model, el: document.body });
}"""


def encoded(data: bytes) -> str:
    import base64

    return base64.b64encode(data).decode()


class Notebook:
    """A page that shows a widget, and its real kernel side."""

    def __init__(self, page: Page, shown: threadmodel.Timeline | FleetView) -> None:
        self.page = page
        self.asked: list[dict[str, Any]] = []
        self.shown = shown
        widget = shown.widget()
        page.expose_function("kernel", self._kernel)
        page.goto("about:blank")
        state = [str(widget._esm), encoded(widget.pack), widget.report]
        page.evaluate(HOST, state)
        if not widget.report:
            self.wait()

    def wait(self) -> None:
        self.page.wait_for_selector(".lanes[data-drawn]")

    def _kernel(self, text: str) -> str:
        message = json.loads(text)
        self.asked.append(message)
        sent: list[Any] = []

        class Ear:
            def send(self, content: Any, buffers: Any = ()) -> None:
                sent.append((content, buffers))

        self.shown.asked(Ear(), message, [])
        ((content, buffers),) = sent
        return json.dumps(
            {"content": content, "buffers": [encoded(one) for one in buffers]}
        )


@pytest.fixture
def page(browser: Browser) -> Any:
    page = browser.new_page(viewport={"width": 1300, "height": 900})
    page.set_default_timeout(PATIENCE_MS)
    watched = Watched(page)
    yield page
    page.close()
    assert watched.faults == []


@pytest.fixture
def model() -> threadmodel.Model:
    model = threadmodel.Model()
    random_runs.fill(model, 4, threads=6, objects=4, count=4000)
    return model


def test_lanes_show_the_timeline(page: Page, model: threadmodel.Model) -> None:
    Notebook(page, model.timeline())
    starts = state(page, "[...s.data.lanes.finest.start]")
    assert starts == [row["start_ns"] for row in model.timeline()]
    assert page.get_by_role("application", name="Timeline of threads").is_visible()


def test_a_choice_shows_just_that(page: Page, model: threadmodel.Model) -> None:
    chosen = model.timeline(Selection(threads=["t2", "t4"], window=(0, 20_000)))
    Notebook(page, chosen)
    names = state(page, "s.rows.value.lanes.map(l => s.data.threads[l].name)")
    assert names == ["t2", "t4"]
    starts = state(page, "[...s.data.lanes.finest.start]")
    assert starts == [row["start_ns"] for row in chosen]


def test_looking_closer_asks_the_kernel(
    page: Page, model: threadmodel.Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lanes, "ROWS", 60)
    notebook = Notebook(page, model.timeline())
    assert state(page, "s.data.tile") > 0
    monkeypatch.setattr(lanes, "ROWS", 20_000)
    middle = model.length_ns // 2
    state(page, f"s.look({middle}, {middle + 300})")
    page.wait_for_function(
        "threadmodelTimeline.scene.pick(600, 64)?.level.count.every(c => c === 1)"
    )
    (asked,) = notebook.asked[-1:]
    assert asked["from_ns"] <= middle < middle + 300 <= asked["to_ns"]
    picked = state(
        page,
        "(({ level: l, row, table }) => [l.start[row], l.end[row],"
        " table.text('state', l.source[row])])(scene.pick(600, 64))",
    )
    part = model.timeline(Selection(window=(asked["from_ns"], asked["to_ns"])))
    assert picked in [[row["start_ns"], row["end_ns"], row["state"]] for row in part]


def test_what_the_kernel_refuses_is_reported(
    page: Page, model: threadmodel.Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lanes, "ROWS", 60)
    timeline = model.timeline()
    Notebook(page, timeline)

    def refuse(message: object) -> bytes:
        raise ValueError(f"not today: {bool(message)}")

    monkeypatch.setattr(timeline, "_part", refuse)
    state(page, "s.look(100, 400)")
    page.get_by_text("not today: True").wait_for(state="attached")


def test_it_ends_with_its_cell(page: Page, model: threadmodel.Model) -> None:
    Notebook(page, model.timeline())
    page.evaluate("stop()")
    assert page.locator(".lanes").count() == 0


def test_names_run_nowhere_in_a_notebook(page: Page) -> None:
    """Text of a canvas is drawn; details and a table are elements of the page."""
    notebook = Notebook(page, hostile().timeline())
    notebook.wait()
    lanes_of_it = page.locator(".lanes")
    lanes_of_it.click(position={"x": 300, "y": 60})
    page.keyboard.press("ArrowDown")
    page.wait_for_timeout(300)
    assert page.evaluate("globalThis.pwned ?? null") is None
    assert page.locator("[onerror], [onload], [onmouseover], img, script").count() == 0
    assert page.locator('a[href^="javascript:"]').count() == 0


SHOP = Path(__file__).resolve().parents[2] / "docs/examples/shop"


@pytest.fixture
def view(tmp_path: Path) -> FleetView:
    """Two runs, one of them with a name that is markup."""
    slow, fixed = tmp_path / "slow.tmt", tmp_path / "<img src=x onerror=alert(1)>.tmt"
    shutil.copy(SHOP / "slow.tmt", slow)
    shutil.copy(SHOP / "fixed.tmt", fixed)
    urls = [str(slow), str(fixed)]
    dataset = Dataset(str(tmp_path / "set"))
    labels = {url: {"host": Path(url).stem} for url in urls}
    marks: dict[str, list[Any]] = {url: [] for url in urls}
    dataset.add([fleet.summarize_url(url) for url in urls], marks, labels)
    dataset.finish()
    return FleetView(Report(dataset))


def test_a_run_that_a_fleet_s_report_names_is_shown_below_it(
    page: Page, view: FleetView, tmp_path: Path
) -> None:
    notebook = Notebook(page, view)
    heading = page.get_by_role("heading", name="What costs most", exact=True)
    assert heading.is_visible()
    assert page.locator("img").count() == 0
    for name in ("slow", "<img src=x onerror=alert(1)>"):
        path = tmp_path / f"{name}.tmt"
        page.get_by_role("link", name=str(path)).first.click()
        page.get_by_role("heading", name=str(path)).wait_for()
        notebook.wait()
        starts = state(page, "[...s.data.lanes.finest.start]")
        timeline = threadmodel.open(path).timeline()
        assert starts == [row["start_ns"] for row in timeline]
    assert [asked["kind"] for asked in notebook.asked] == ["run", "run"]


def test_a_run_that_is_gone_is_named(
    page: Page, view: FleetView, tmp_path: Path
) -> None:
    Notebook(page, view)
    (tmp_path / "slow.tmt").unlink()
    page.get_by_role("link", name="slow.tmt").first.click()
    page.get_by_role("status").get_by_text("No such file").wait_for()
    assert page.locator(".lanes").count() == 0


def test_no_run_is_read_that_the_report_does_not_name(view: FleetView) -> None:
    sent: list[Any] = []

    class Ear:
        def send(self, content: Any, buffers: Any = ()) -> None:
            sent.append((content, buffers))

    for url in ("/etc/passwd", None, 4, ["x"]):
        view.asked(Ear(), {"kind": "run", "number": 1, "url": url}, [])
    assert all("names no run" in content["failure"] for content, _ in sent)
    assert len(sent) == 4
    view.asked(Ear(), {"kind": "tiles"}, [])
    view.asked(Ear(), "run", [])
    assert len(sent) == 4


def test_odd_questions_are_answered_with_a_refusal(model: threadmodel.Model) -> None:
    timeline = model.timeline()
    sent: list[Any] = []

    class Ear:
        def send(self, content: Any, buffers: Any = ()) -> None:
            sent.append(content)

    for message in (
        {"kind": "tiles"},
        {"kind": "tiles", "from_ns": 5, "to_ns": 4, "threads": []},
        {"kind": "tiles", "from_ns": "x", "to_ns": 4, "threads": []},
        {"kind": "tiles", "from_ns": 0, "to_ns": 4, "threads": ["77777"]},
        {"kind": "tiles", "from_ns": -1, "to_ns": 2**80, "threads": None},
    ):
        timeline.asked(Ear(), message, [])
        assert "failure" in sent[-1]
    count = len(sent)
    timeline.asked(Ear(), {"kind": "else"}, [])
    timeline.asked(Ear(), "tiles", [])
    assert len(sent) == count


def test_a_notebook_gets_lanes_and_a_table(model: threadmodel.Model) -> None:
    shown = model.timeline()._repr_mimebundle_()
    assert "application/vnd.jupyter.widget-view+json" in shown
    assert "<table" in shown["text/html"]


def test_a_notebook_gets_a_fleet_s_report_with_and_without_runs_to_choose(
    view: FleetView,
) -> None:
    shown = view._repr_mimebundle_()
    assert "application/vnd.jupyter.widget-view+json" in shown
    assert "What costs most" in shown["text/html"]
    assert "<a " not in shown["text/html"]


def test_without_anywidget_a_notebook_gets_a_table(
    model: threadmodel.Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = builtins.__import__

    def refuse(name: str, *rest: Any) -> Any:
        if name == "anywidget":
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", refuse)
    monkeypatch.delitem(sys.modules, "anywidget", raising=False)
    lanes.widget_class.cache_clear()
    timeline = model.timeline()
    assert set(timeline._repr_mimebundle_()) == {"text/plain", "text/html"}
    with pytest.raises(MissingExtraError, match=r"pip install 'threadmodel\[widget\]'"):
        timeline.widget()
    lanes.widget_class.cache_clear()
