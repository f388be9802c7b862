# SPDX-License-Identifier: Apache-2.0
"""Options that choose a part of the run by its times."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

import click

from threadmodel.errors import InvalidArgumentError, NotFoundError
from threadmodel.model import Model
from threadmodel.selection import Selection
from threadmodel.tables import bounds
from threadmodel.text import duration

# Longer ones first; without a unit it is milliseconds.
UNITS_NS: Final = {"ms": 1e6, "us": 1e3, "ns": 1.0, "s": 1e9, "m": 6e10, "": 1e6}

# Generic since click 8.2, and to a type checker alone.
if TYPE_CHECKING:
    _ParamType = click.ParamType[int]
else:
    _ParamType = click.ParamType


class Moment(_ParamType):
    """A time since the run began: 12.3s, 500us; without a unit in milliseconds."""

    name = "time"

    def convert(
        self, value: str, parameter: click.Parameter | None, context: object
    ) -> int:
        """Return the time in ns, or report that the text is invalid."""
        if isinstance(value, int):
            return value
        unit = next(unit for unit in UNITS_NS if value.endswith(unit))
        try:
            ns = float(value.removesuffix(unit)) * UNITS_NS[unit]
        except ValueError:
            self.fail(f"{value!r:.100} is not a time such as 12.3s, 500us or 1500 (ms)")
        if not 0 <= ns < 2**63:
            self.fail(f"{value!r:.100} is not within 0 and 292 years")
        return round(ns)


from_option = click.option(
    "--from",
    "from_ns",
    metavar="TIME",
    type=Moment(),
    help="Only from this time on: 12.3s; without a unit ms.",
)


def range_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add --from, --to and --skip-start, which `window` takes."""
    end = click.option(
        "--to",
        "to_ns",
        metavar="TIME",
        type=Moment(),
        help="Only up to this time: 12.3s; without a unit ms.",
    )
    start = click.option(
        "--skip-start",
        is_flag=True,
        help="Only from the time on at which requests came at a steady rate.",
    )
    return from_option(end(start(command)))


def window(
    model: Model, from_ns: int | None, to_ns: int | None, skip_start: bool
) -> tuple[int | None, int | None] | None:
    """Return the part of a run that these options choose; None: all of it.

    Raises:
        NotFoundError: there are no requests to show when the start-up ended
        InvalidArgumentError: the part is empty
    """
    if skip_start:
        if from_ns is not None:
            raise click.UsageError("--from and --skip-start exclude each other")
        from_ns = _steady_ns(model)
    if from_ns is None and to_ns is None:
        return None
    # A run of one instant has no parts: the question is about the whole.
    if from_ns is not None and from_ns > model.length_ns > 0:
        raise InvalidArgumentError(
            f"--from {duration(from_ns)} is after the end of the run, "
            f"{duration(model.length_ns)}"
        )
    return (from_ns, to_ns)


def part_of(model: Model, chosen: Mapping[str, Any]) -> Selection:
    """Return the part of a run that the parameters of a command choose."""
    return Selection(
        window=window(
            model, chosen["from_ns"], chosen["to_ns"], bool(chosen["skip_start"])
        )
    )


def stated(model: Model, part: Selection) -> str:
    """State which part of a run it is, as first lines do; "": all of it."""
    if part.window is None:
        return ""
    start_ns, end_ns = bounds(model, part)
    return f"From {duration(start_ns)} to {duration(end_ns)}"


def options_of(part: Selection) -> str:
    """Return the options that choose the same part, for another command."""
    if part.window is None:
        return ""
    start_ns, end_ns = part.window
    begin = "" if start_ns is None else f" --from {_exact(start_ns)}"
    return begin + ("" if end_ns is None else f" --to {_exact(end_ns)}")


def _exact(ns: int) -> str:
    for unit, digits in (("s", 9), ("ms", 6), ("us", 3)):
        text = f"{ns / 10**digits:.{digits}f}".rstrip("0").rstrip(".")
        if ns >= 10**digits:
            return f"{text}{unit}"
    return f"{ns}ns"


def _steady_ns(model: Model) -> int:
    for row in model.unit_kinds():
        if row["main"] and row["steady_from_ns"] is not None:
            return int(row["steady_from_ns"])
    raise NotFoundError(
        "--skip-start: no requests or tasks of this run show when its start was over; "
        "give a time by --from"
    )
