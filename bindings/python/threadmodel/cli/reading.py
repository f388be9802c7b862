# SPDX-License-Identifier: Apache-2.0
"""Options of every command that reads a file."""

import contextlib
import select
from collections.abc import Callable, Sequence
from typing import Any, Final

import click

UNITS_NS: Final = {"ns": 1, "us": 1_000, "ms": 1_000_000, "s": 1_000_000_000}


def input_path(file: str) -> str:
    """Return the path for FILE; for -, which is stdin, wait until it has data."""
    if file != "-":
        return file
    # Ctrl-C cannot interrupt the library's read, but it can interrupt this wait.
    with contextlib.suppress(OSError):
        select.select([0], [], [])
    return "/dev/stdin"


def input_paths(files: Sequence[str]) -> list[str]:
    """Return the paths for one FILE or several."""
    return [input_path(file) for file in files]


def reading_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that `read_choices` turns into arguments of threadmodel.open."""
    dialect = click.option(
        "--dialect",
        metavar="LINES",
        help="FILE is a contention log whose lines differ from docs/formats.md: "
        '"wait=Wait,time,thread,object,stack;...".',
    )
    unit = click.option(
        "--time-unit",
        type=click.Choice(list(UNITS_NS)),
        help="Unit of time in TPTP XML, which states none.  [default: s]",
    )
    return dialect(unit(command))


def read_choices(dialect: str | None, time_unit: str | None) -> dict[str, Any]:
    """Return the arguments of threadmodel.open and emit for the options."""
    return {
        "dialect": dialect,
        "time_unit_ns": UNITS_NS[time_unit] if time_unit else 0,
    }


def sheet_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add --sheet."""
    return click.option(
        "--sheet",
        is_flag=True,
        help="CSV for a spreadsheet: an apostrophe before text that it would run as a "
        "formula.",
    )(command)
