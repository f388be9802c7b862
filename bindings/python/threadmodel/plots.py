# SPDX-License-Identifier: Apache-2.0
"""Static pictures of a run, by matplotlib: for papers, pages and notebooks."""

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from threadmodel import errors
from threadmodel.extras import extra
from threadmodel.selection import ALL, Selection
from threadmodel.text import clean, duration

if TYPE_CHECKING:
    from threadmodel.model import Model

# The colours of the HTML report, by Okabe and Ito, for people with colour blindness.
COLOURS: Final = {
    "unknown": "#d9dce3",
    "new": "#b9bfca",
    "running": "#009e73",
    "blocked": "#d55e00",
    "waiting": "#56b4e9",
    "reentering": "#e69f00",
    "joining": "#cc79a7",
    "sleeping": "#8c93a3",
    "parked": "#0072b2",
    "runnable": "#f0e442",
    "io": "#7a4fa3",
    "native": "#a6761d",
    "deadlocked": "#1b1b1f",
}
# For paper without colour.
HATCHES: Final = {
    "blocked": "////",
    "reentering": "\\\\\\\\",
    "io": "---",
    "native": "...",
    "deadlocked": "xxxx",
}
LANE: Final = 0.8
LABEL_LENGTH: Final = 28
# The most lanes that can be distinguished on a page.
LANES: Final = 60
# The most bars in a lane.
BARS: Final = 2000


class Plots:
    """Pictures of one model; each is drawn into axes and returns them.

    All take ``ax``, the matplotlib axes to draw into; None: those of a new figure.
    Names of threads and classes are drawn as text, never as markup.

    Raises:
        MissingExtraError: matplotlib is not installed
    """

    def __init__(self, model: "Model") -> None:
        """Draw pictures of this model."""
        self._model = model

    def timeline(
        self,
        ax: Any = None,
        selection: Selection = ALL,
        *,
        path: bool = False,
    ) -> Any:
        """Draw a lane a thread, coloured by what it was doing.

        Args:
            ax: see the class
            selection: of threads and time; where it names no threads, those that were
                blocked longest are drawn, 60 at most
            path: draw the critical path over the lanes
        """
        ax = _axes(ax, (10, 4))
        lanes = self._lanes(selection)
        chosen = dataclasses.replace(selection, threads=tuple(lanes))
        table = self._model.timeline(chosen)
        bars: dict[tuple[int, str], list[tuple[int, int]]] = {}
        for id_, start, end, state in zip(
            *(table[c] for c in ("thread_id", "start_ns", "end_ns", "state")),
            strict=True,
        ):
            if state in COLOURS:
                bars.setdefault((id_, state), []).append((start, end - start))
        scale, unit = _unit(_span(self._model, selection))
        shown = [state for state in COLOURS if any(key[1] == state for key in bars)]
        for (id_, state), spans in bars.items():
            ax.broken_barh(
                [(start / scale, width / scale) for start, width in _thin(spans)],
                (lanes[id_][0] - LANE / 2, LANE),
                facecolor=COLOURS[state],
                hatch=HATCHES.get(state),
                edgecolor="white" if state in HATCHES else "none",
                linewidth=0,
            )
        if path:
            self._draw_path(ax, lanes, scale, selection)
        ax.set_yticks(range(len(lanes)), [name for _, name in lanes.values()])
        ax.invert_yaxis()
        ax.set_xlabel(f"time in {unit}")
        _legend(ax, shown)
        _plain(ax)
        return ax

    def histogram(
        self,
        state: str = "blocked",
        ax: Any = None,
        selection: Selection = ALL,
    ) -> Any:
        """Draw how many blocking intervals of a state lasted how long, on a log scale.

        Args:
            state: ``blocked``, ``waiting``, ``reentering``, ``joining``, ``parked`` or
                ``io``
            ax: see the class
            selection: of threads, classes of objects, and time
        """
        ax = _axes(ax, (7, 3.5))
        rows = list(self._model.histogram(state, selection=selection))
        low = [max(row["low_ns"], 1) / 1e6 for row in rows]
        ax.bar(
            low,
            [row["count"] for row in rows],
            width=[
                row["high_ns"] / 1e6 - left for row, left in zip(rows, low, strict=True)
            ],
            align="edge",
            color=COLOURS[state],
            edgecolor="white",
            linewidth=0.3,
        )
        if rows:
            ax.set_xscale("log")
        ax.set_xlabel(f"{state} for, in ms")
        ax.set_ylabel("how often")
        _plain(ax)
        return ax

    def matrix(self, ax: Any = None, *, top: int = 20) -> Any:
        """Draw the matrix of blocking: a row a blocked thread, a column an owner.

        Args:
            ax: see the class
            top: threads on either side, those with most time
        """
        ax = _axes(ax, (6, 5))
        table = self._model.blockers()
        sums: dict[tuple[str, str], int] = {}
        for row in table:
            victim = _label(row["thread"], row["thread_id"])
            owner = _label(row["owner"], row["owner_id"]) if row["owner_id"] else "?"
            sums[victim, owner] = sums.get((victim, owner), 0) + row["total_ns"]
        victims = _largest(sums, 0, top)
        owners = _largest(sums, 1, top)
        cells = [
            [sums.get((victim, owner), 0) / 1e6 for owner in owners]
            for victim in victims
        ]
        if cells:
            image = ax.imshow(cells, cmap="Oranges", aspect="auto", vmin=0)
            bar = ax.figure.colorbar(image, ax=ax)
            bar.set_label("blocked, ms")
        ax.set_xticks(range(len(owners)), owners, rotation=90)
        ax.set_yticks(range(len(victims)), victims)
        ax.set_xlabel("owner")
        ax.set_ylabel("blocked")
        return ax

    def path(self, ax: Any = None, *, by: str = "thread", top: int = 12) -> Any:
        """Draw the parts of the critical path, the longest first.

        Args:
            ax: see the class
            by: ``thread``, ``method``, ``class`` or ``state``
            top: bars; one more shows the rest
        """
        ax = _axes(ax, (7, 3.5))
        rows = [row for row in self._model.path_rollup((by,)) if row["total_ns"]]
        bars = [(_text(row[by] or "none"), row["total_ns"]) for row in rows[:top]]
        rest = sum(row["total_ns"] for row in rows[top:])
        if rest:
            bars.append(("all others", rest))
        for place, (name, total) in enumerate(bars):
            colour = COLOURS.get(name, "#0072b2") if by == "state" else "#0072b2"
            ax.barh(place, total / 1e6, color=colour)
            ax.annotate(
                duration(total),
                (total / 1e6, place),
                xytext=(4, 0),
                textcoords="offset points",
                va="center",
            )
        ax.set_yticks(range(len(bars)), [name for name, _ in bars])
        ax.invert_yaxis()
        ax.set_xlabel("on the critical path, ms")
        ax.margins(x=0.15)
        _plain(ax)
        return ax

    def _lanes(self, selection: Selection) -> dict[int, tuple[int, str]]:
        """Return the place and label of each lane by the thread's id."""
        rows = list(self._model.threads(Selection(selection.threads)))
        if selection.threads is None:
            rows.sort(key=lambda row: -_blocked(row))
            rows = rows[:LANES]
        elif len(rows) > LANES:
            raise errors.LimitError(f"{len(rows)} threads; at most {LANES} fit")
        return {
            row["thread_id"]: (place, _label(row["name"], row["thread_id"]))
            for place, row in enumerate(rows)
        }

    def _draw_path(
        self,
        ax: Any,
        lanes: dict[int, tuple[int, str]],
        scale: float,
        selection: Selection,
    ) -> None:
        start, end = selection.start_ns, selection.end_ns
        for row in self._model.critical_path():
            lane = lanes.get(row["thread_id"])
            left = max(row["start_ns"], start)
            right = row["end_ns"] if end is None else min(row["end_ns"], end)
            if lane is not None and left < right:
                ax.plot(
                    [left / scale, right / scale],
                    [lane[0], lane[0]],
                    color="black",
                    linewidth=1.5,
                    solid_capstyle="butt",
                )


def _axes(ax: Any, size: tuple[float, float]) -> Any:
    if ax is not None:
        return ax
    pyplot = extra("matplotlib", module="matplotlib.pyplot")
    return pyplot.subplots(figsize=size, layout="constrained")[1]


def _text(name: str) -> str:
    # A dollar sign begins mathematics, in matplotlib's texts.
    return clean(name, LABEL_LENGTH).replace("$", r"\$")


def _label(name: str | None, id_: int) -> str:
    return _text(name or f"#{id_}")


def _blocked(row: dict[str, Any]) -> int:
    states = ("blocked", "reentering", "waiting", "joining", "parked", "io")
    return sum(row[f"{state}_total_ns"] for state in states)


def _span(model: "Model", selection: Selection) -> int:
    end = selection.end_ns
    return (model.length_ns if end is None else end) - selection.start_ns


def _unit(span_ns: int) -> tuple[float, str]:
    if span_ns >= 2_000_000_000:
        return 1e9, "s"
    return (1e6, "ms") if span_ns >= 2_000_000 else (1e3, "us")


def _thin(spans: list[tuple[int, int]]) -> Sequence[tuple[int, int]]:
    """Merge neighbours that no printer could resolve."""
    if len(spans) <= BARS:
        return spans
    least = (spans[-1][0] + spans[-1][1] - spans[0][0]) // BARS
    merged = [spans[0]]
    for start, width in spans[1:]:
        last_start, last_width = merged[-1]
        if start - (last_start + last_width) < least:
            merged[-1] = (last_start, start + width - last_start)
        else:
            merged.append((start, width))
    return merged


def _largest(sums: dict[tuple[str, str], int], side: int, top: int) -> list[str]:
    totals: dict[str, int] = {}
    for key, total in sums.items():
        totals[key[side]] = totals.get(key[side], 0) + total
    return sorted(totals, key=lambda name: -totals[name])[:top]


def _legend(ax: Any, states: Sequence[str]) -> None:
    if not states:
        return
    patches = extra("matplotlib", module="matplotlib.patches")
    handles = [
        patches.Patch(
            facecolor=COLOURS[state],
            hatch=HATCHES.get(state),
            edgecolor="white" if state in HATCHES else "none",
            label=state,
        )
        for state in states
    ]
    ax.legend(
        handles=handles,
        loc="upper center",
        bbox_to_anchor=(0.5, 1.14),
        ncols=len(handles),
        frameon=False,
        fontsize="small",
    )


def _plain(ax: Any) -> None:
    ax.spines[["top", "right"]].set_visible(False)
