# SPDX-License-Identifier: Apache-2.0
"""What-if questions, put to the library: the one place that knows how.

A question describes a change of a program by its effect on one of three things.
"""

from dataclasses import dataclass
from typing import Any

import threadmodel


@dataclass(frozen=True)
class Hold:
    """Holds of locks of a class, or got in a method, take so many times as long."""

    class_name: str | None
    factor: float
    method: str | None = None


@dataclass(frozen=True)
class Resource:
    """A resource that threads wait for at a place has more permits, or uses that take
    so many times as long. A split lock has as many permits as it has parts."""

    waiting_method: str
    more_permits: int = 0
    factor: float = 1.0


@dataclass(frozen=True)
class Callee:
    """A method that is asleep or runs takes so many times as long."""

    method: str
    factor: float


Question = Hold | Resource | Callee


@dataclass(frozen=True)
class Prediction:
    """A predicted gain: an interval, and the likeliest value in it."""

    least_ns: int
    middle_ns: int
    most_ns: int


def of_row(row: dict[str, Any]) -> Prediction | None:
    """The prediction in a row of the what-if table; None: it has none."""
    if row["gain_ns"] is None:
        return None
    return Prediction(row["gain_low_ns"], row["gain_ns"], row["gain_high_ns"])


def row_of(model: threadmodel.Model, question: Question) -> dict[str, Any] | None:
    """The row of the what-if table that answers; None: nothing is so named."""
    try:
        match question:
            case Hold(class_name, factor, method):
                rows = model.whatif(class_name, method=method, factor=factor)
            case Callee(method, factor):
                rows = model.whatif(method=method, factor=factor, change="method")
            case Resource(method, 0, factor):
                rows = model.whatif(method=method, factor=factor, change="uses")
            case Resource(method, more_permits):
                rows = model.whatif(
                    method=method, change="permits", permits=more_permits
                )
    except threadmodel.NotFoundError:
        return None
    return next((dict(row) for row in rows), None)


def predict(model: threadmodel.Model, question: Question) -> Prediction | None:
    """The gain that the model predicts; None: it predicts none."""
    row = row_of(model, question)
    return None if row is None else of_row(row)
