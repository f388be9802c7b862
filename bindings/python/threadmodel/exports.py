# SPDX-License-Identifier: Apache-2.0
"""A run as a file of another tool."""

import os
from typing import TYPE_CHECKING, Final

from threadmodel import errors, tables
from threadmodel._enums import STATES, ExportFormat, ExportSide
from threadmodel._library import check, lib, options, path_bytes
from threadmodel.questions import named, number
from threadmodel.selection import ALL, Selection

if TYPE_CHECKING:
    from threadmodel.model import Model

_EXPORTS: Final = named(ExportFormat)
_SIDES: Final = named(ExportSide)
# Formats of sums by stack, and those that show one side.
PROFILES: Final = ("collapsed", "pprof", "otlp")
SIDED: Final = ("collapsed", "pprof")


def export(
    model: "Model",
    path: str | os.PathLike[str],
    format: str,
    state: str | None = None,
    *,
    side: str = "waiters",
    selection: Selection = ALL,
) -> None:
    """Write the run as a file of another tool.

    Args:
        model: written
        path: of the file, which is made or emptied
        format: ``perfetto`` and ``chrome``, traces for the Perfetto UI;
            ``collapsed``, stacks for flame graphs with ns blocked; ``dot``, who
            waits for whom at the end and lock order, for Graphviz;
            ``hprof``, HPROF's text: sums of blocks and CPU samples by stack;
            ``pprof``, how often and for how long threads were blocked by stack, for
            ``go tool pprof``; ``otlp``, the same of both sides as profiles of
            OpenTelemetry, v1development
        state: of ``collapsed``, ``pprof`` and ``otlp`` alone: ``blocked``,
            ``waiting``, ``reentering``, ``joining``, ``parked`` or ``io``; None: all
        side: of ``collapsed`` and ``pprof`` alone: ``waiters``, where threads were
            blocked; ``owners``, where the owners of the locks acquired them, with the
            time for which others were blocked by them
        selection: a window alone, and not of ``dot`` and ``hprof``

    Raises:
        InvalidArgumentError: there is no such format, state or side (a ValueError)
        InputOutputError: it cannot be written, as on a full disk (an OSError)
    """
    if state is not None and format not in PROFILES:
        raise errors.InvalidArgumentError(
            f"no such state of {format}: {state!r:.100}; only {', '.join(PROFILES)} "
            "have one"
        )
    if selection.threads is not None or selection.classes is not None:
        raise errors.InvalidArgumentError("an export is of all threads and classes")
    choices = options(
        "tm_export_options",
        format=number(format, _EXPORTS, "format"),
        state=0 if state is None else number(state, STATES, "state"),
        side=number(side, _SIDES, "side"),
        from_ns=selection.start_ns,
        to_ns=tables.last_ns(model, selection) or 0,
    )
    with model._lock:
        check(lib.tm_export_write(model._model, path_bytes(path), choices))
