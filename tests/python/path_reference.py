# SPDX-License-Identifier: Apache-2.0
"""The critical path by its definition, from public tables.

Slow and plain. It uses the timeline and the interactions, and no other code.
"""

from typing import Any

import threadmodel

STOPPED = {
    "blocked",
    "waiting",
    "reentering",
    "joining",
    "sleeping",
    "parked",
    "deadlocked",
}
INERT = STOPPED | {"new", "dead"}

Segment = tuple[int, int, int, str, bool]


class Reference:
    """Paths of one model."""

    def __init__(self, model: threadmodel.Model) -> None:
        self.length = model.length_ns
        self.lines: dict[int, list[dict[str, Any]]] = {}
        for row in model.timeline():
            if row["end_ns"] > row["start_ns"]:
                self.lines.setdefault(row["thread_id"], []).append(row)
        self.begun: set[tuple[int, int]] = {
            (row["thread_id"], row["start_ns"])
            for row in model.timeline()
            if row["state"] not in INERT
        }
        self.links: dict[tuple[int, int], dict[str, Any]] = {}
        for row in model.interactions():
            if row["woken_ns"] is not None and row["to_thread_id"] is not None:
                self.links[row["to_thread_id"], row["woken_ns"]] = row

    def at(self, thread: int, time_ns: int) -> dict[str, Any] | None:
        """Return the state of the thread just before a time."""
        for row in self.lines.get(thread, ()):
            if row["start_ns"] < time_ns <= row["end_ns"]:
                return row
        return None

    def ended(self, join: dict[str, Any]) -> bool:
        """Return whether the joined thread had ended before."""
        line = self.lines.get(join["peer_id"], [])
        dead = [row for row in line if row["state"] == "dead"]
        return bool(dead) and dead[-1]["start_ns"] <= join["start_ns"]

    def able(self, thread: int, time_ns: int) -> int:
        """Return the last time up to time_ns at which the thread could act."""
        if (thread, time_ns) in self.begun:
            return time_ns
        row = self.at(thread, time_ns)
        while row is not None and row["state"] in INERT:
            time_ns = row["start_ns"]
            row = self.at(thread, time_ns)
        return time_ns

    def own(self, thread: int, low: int, high: int, lost: bool) -> list[Segment]:
        """Return the segments of a thread itself, the latest first."""
        found = []
        for row in reversed(self.lines.get(thread, [])):
            start, end = max(row["start_ns"], low), min(row["end_ns"], high)
            if start < end:
                found.append((start, end, thread, row["state"], lost))
        return found

    def explain(
        self, thread: int, low: int, high: int, waited_for: bool
    ) -> list[Segment]:
        """Return the segments that led the thread to its state at `high`."""
        found: list[Segment] = []
        while high > low:
            row = self.at(thread, high)
            line = self.lines.get(thread)
            if row is None and line and high > line[-1]["end_ns"]:
                start = max(line[-1]["end_ns"], low)
                found.append((start, high, thread, "dead", True))
                high = start
                continue
            if row is None:
                return [*found, (low, high, thread, "unknown", True)]
            start = max(row["start_ns"], low)
            if row["state"] not in STOPPED and row["state"] != "new":
                lost = row["state"] != "running"
                found.append((start, high, thread, row["state"], lost))
                high = start
                continue
            # A wait and its re-entry are one blocking interval.
            begin, end = row["start_ns"], row["end_ns"]
            if row["state"] == "reentering":
                begin = self.at(thread, begin)["start_ns"]  # type: ignore[index]
            after = self.at(thread, end + 1)
            if row["state"] == "waiting" and after and after["state"] == "reentering":
                end = after["end_ns"]
            link = self.links.get((thread, end))
            if row["state"] == "joining" and row["open"] and row["peer_id"]:
                link = {"from_thread_id": row["peer_id"], "time_ns": high}
                link["woken_ns"] = None
            begin = max(begin, low)
            if link is None or link["from_thread_id"] is None:
                known = (
                    row["state"] == "sleeping"
                    or (link is not None and link["kind"] == "timeout")
                    or (row["state"] == "joining" and self.ended(row))
                )
                found += self.own(thread, start, high, not known)
                high = start
                continue
            source, when = link["from_thread_id"], min(link["time_ns"], high)
            if link["time_ns"] == link["woken_ns"] == high:
                when = self.able(source, when)
            found += self.own(thread, max(when, begin), high, False)
            if row["state"] == "new" or not waited_for:
                if when > begin or row["state"] == "new":
                    thread, high = source, max(when, low)
                else:
                    high = begin
            else:
                found += self.explain(source, begin, when, waited_for)
                high = begin
        return found

    def path(self, thread: int, end: int, waited_for: bool) -> list[Segment]:
        """Return the path that leads to a thread's instant, by rising time."""
        return self.explain(thread, 0, end, waited_for)[::-1]
