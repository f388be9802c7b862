# SPDX-License-Identifier: Apache-2.0
"""The verdict on a run as reports, dumps and checks state it."""

from typing import TYPE_CHECKING, Any, Final

from threadmodel.selection import ALL, Selection
from threadmodel.text import count

if TYPE_CHECKING:
    from threadmodel.model import Model

# Verdicts by which a program, or a part of it, cannot go on.
HUNG: Final = ("deadlocked", "stuck", "partly_stuck", "starved")


def judge(model: "Model", selection: Selection = ALL) -> dict[str, Any]:
    """Return the row of the table ``verdict``, and its members.

    Args:
        model: asked
        selection: the part of the run that is judged
    """
    (row,) = model.verdict(selection)
    # The list of members computes the verdict again, so it is asked for only if needed.
    members = list(model.verdict_members(selection)) if row["threads"] else []
    return {**row, "members": members}


def lines(row: dict[str, Any]) -> list[str]:
    """Return what follows the title: why, what to try, and what was examined.

    Args:
        row: of the table ``verdict``
    """
    found = [row["text"], row["advice"], f"Examined: {row['examined']}."]
    if row["remedy"] is not None:
        found.append(row["remedy"])
    return [text for text in found if text]


def nothing_in(model: "Model") -> str | None:
    """Say why no answer follows from a file; None: one does.

    Args:
        model: of a whole run
    """
    if not model.event_count:
        # The first caveat of a JFR recording lists its events.
        is_listed = model.run.format == "jfr" and model.damage is None
        found = model.caveats[:1] if is_listed else ()
        return ". ".join(("no event of threads or locks was found", *found))
    if any(state != "unknown" for state in model.threads()["state"]):
        return None
    if model.verdict()["kind"][0] != "cannot_tell":
        return None
    events = count(model.event_count, "single event", "samples or single events")
    return f"no duration was found, only {events}"
