# SPDX-License-Identifier: Apache-2.0
"""Static plots draw the values of the tables."""

import sys
from collections.abc import Iterator
from typing import Any

import pytest

import runs
import threadmodel
from threadmodel import Selection

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("agg")
pyplot = pytest.importorskip("matplotlib.pyplot")


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    yield
    pyplot.close("all")


def labels(axis: Any) -> list[str]:
    return [label.get_text() for label in axis.get_ticklabels()]


def test_a_timeline_has_a_bar_for_each_interval(model: threadmodel.Model) -> None:
    ax = model.plot.timeline(selection=Selection(["worker", "writer"]), path=True)
    assert labels(ax.yaxis) == ["worker", "writer"]
    bars = sum(len(bars.get_paths()) for bars in ax.collections)
    rows = [
        row
        for row in model.timeline(Selection(threads=["worker", "writer"]))
        if row["state"] != "dead"
    ]
    assert bars == len(rows)
    shown = {text.get_text() for text in ax.get_legend().get_texts()}
    assert shown == {row["state"] for row in rows}
    segments = [
        row
        for row in model.critical_path()
        if row["thread"] in ("worker", "writer") and row["start_ns"] < row["end_ns"]
    ]
    assert len(ax.lines) == len(segments)


def test_a_timeline_shows_the_worst_threads_unless_asked_for_others(
    model: threadmodel.Model,
) -> None:
    ax = model.plot.timeline()
    assert labels(ax.yaxis)[:3] == ["worker", "left", "right"]
    ax = model.plot.timeline(selection=Selection(window=(10 * runs.MS, 20 * runs.MS)))
    left, right = ax.dataLim.intervalx
    assert (left, right) == (10, 20)


def test_a_histogram_has_the_counts_of_the_model(model: threadmodel.Model) -> None:
    ax = model.plot.histogram("blocked")
    heights = [bar.get_height() for bar in ax.patches]
    assert heights == [row["count"] for row in model.histogram("blocked")]
    for bar, row in zip(ax.patches, model.histogram("blocked"), strict=True):
        assert bar.get_x() == pytest.approx(row["low_ns"] / 1e6)
        assert bar.get_width() == pytest.approx((row["high_ns"] - row["low_ns"]) / 1e6)


def test_a_matrix_has_the_sums_of_the_model(model: threadmodel.Model) -> None:
    ax = model.plot.matrix()
    victims, owners = labels(ax.yaxis), labels(ax.xaxis)
    cells = ax.images[0].get_array()
    for row in model.blockers():
        place = victims.index(row["thread"]), owners.index(row["owner"] or "?")
        assert cells[place] == pytest.approx(row["total_ns"] / 1e6)


@pytest.mark.parametrize("by", ["thread", "method", "class", "state"])
def test_a_path_adds_up_to_the_run(model: threadmodel.Model, by: str) -> None:
    ax = model.plot.path(by=by, top=2)
    total = sum(bar.get_width() for bar in ax.patches)
    assert total == pytest.approx(model.length_ns / 1e6)


def test_pictures_are_drawn_into_given_axes(model: threadmodel.Model) -> None:
    figure, axes = pyplot.subplots(4)
    plot = model.plot
    for ax, draw in zip(
        axes, (plot.timeline, plot.histogram, plot.matrix, plot.path), strict=True
    ):
        given = {"ax": ax}
        assert draw(**given) is ax
    figure.canvas.draw()


# A font without a letter only draws a box.
@pytest.mark.filterwarnings("ignore:Glyph")
def test_hostile_names_and_empty_runs_are_drawn(hostile: threadmodel.Model) -> None:
    money = threadmodel.Model()
    runs.fill(money)
    money.define_thread(runs.WORKER, "Outer$Inner$$Lambda$1")
    for model in (hostile, money, threadmodel.Model()):
        for draw in (
            model.plot.timeline,
            model.plot.histogram,
            model.plot.matrix,
            model.plot.path,
        ):
            draw().figure.canvas.draw()


def test_more_threads_than_can_be_seen_are_refused_not_smeared() -> None:
    model = threadmodel.Model()
    for number in range(1, 101):
        model.define_thread(number, f"t{number}")
        model.ingest([threadmodel.Event(number, number, 2)])
    with pytest.raises(threadmodel.LimitError, match="100 threads"):
        model.plot.timeline(selection=Selection(range(1, 101)))
    assert len(labels(model.plot.timeline().yaxis)) == 60


def test_without_matplotlib_the_error_reports_what_to_install(
    model: threadmodel.Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(
        threadmodel.MissingExtraError, match=r"threadmodel\[matplotlib\]"
    ):
        model.plot.path()
