# SPDX-License-Identifier: Apache-2.0
"""A run as a file of another tool."""

import os
from typing import TYPE_CHECKING, Final

from threadmodel import errors
from threadmodel._enums import STATES, ExportFormat
from threadmodel._library import check, lib, options, path_bytes
from threadmodel.questions import named, number

if TYPE_CHECKING:
    from threadmodel.model import Model

_EXPORTS: Final = named(ExportFormat)


def export(
    model: "Model", path: str | os.PathLike[str], format: str, state: str | None = None
) -> None:
    """Write the run as a file of another tool.

    Args:
        model: written
        path: of the file, which is made or emptied
        format: ``perfetto`` and ``chrome``, traces for the Perfetto UI;
            ``collapsed``, stacks for flame graphs with ns blocked; ``dot``, who
            waits for whom at the end and the order of locks, for Graphviz;
            ``hprof``, HPROF's text: sums of blocks and CPU samples by stack
        state: of collapsed stacks alone: ``blocked``, ``waiting``, ``reentering``,
            ``joining`` or ``parked``; None: all, each named in the last frame

    Raises:
        InvalidArgumentError: there is no such format or state (a ValueError)
        InputOutputError: it cannot be written, as on a full disk (an OSError)
    """
    if state is not None and format != "collapsed":
        raise errors.InvalidArgumentError(
            f"no such state of {format}: {state!r:.100}; only collapsed stacks have one"
        )
    choices = options(
        "tm_export_options",
        format=number(format, _EXPORTS, "format"),
        state=0 if state is None else number(state, STATES, "state"),
    )
    with model._lock:
        check(lib.tm_export_write(model._model, path_bytes(path), choices))
