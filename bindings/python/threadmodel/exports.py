# SPDX-License-Identifier: Apache-2.0
"""A run as a file of another tool."""

import os
import threading
from typing import Any, Final

from threadmodel import errors
from threadmodel._library import check, lib, options, path_bytes

_EXPORTS: Final = {
    "perfetto": lib.TM_EXPORT_PERFETTO,
    "chrome": lib.TM_EXPORT_CHROME,
    "collapsed": lib.TM_EXPORT_COLLAPSED,
    "dot": lib.TM_EXPORT_DOT,
    "hprof": lib.TM_EXPORT_HPROF,
}
STATES: Final = {
    "blocked": lib.TM_STATE_BLOCKED,
    "waiting": lib.TM_STATE_WAITING,
    "reentering": lib.TM_STATE_REENTERING,
    "joining": lib.TM_STATE_JOINING,
    "parked": lib.TM_STATE_PARKED,
}


class Exports:
    """What a model can be written as; a part of :class:`~threadmodel.model.Model`."""

    _lock: threading.Lock
    _model: Any

    def export(
        self, path: str | os.PathLike[str], format: str, state: str | None = None
    ) -> None:
        """Write the run as a file of another tool.

        Args:
            path: of the file, which is made or emptied
            format: ``perfetto`` and ``chrome``, traces for the Perfetto UI;
                ``collapsed``, stacks for flame graphs with ns held up; ``dot``, who
                waits for whom at the end and the order of locks, for Graphviz;
                ``hprof``, HPROF's text: sums of blocks and CPU samples by stack
            state: of collapsed stacks alone: ``blocked``, ``waiting``, ``reentering``,
                ``joining`` or ``parked``; None: all, each named in the last frame

        Raises:
            InvalidArgumentError: there is no such format or state (a ValueError)
            InputOutputError: it cannot be written, as on a full disk (an OSError)
        """
        if format not in _EXPORTS:
            raise errors.InvalidArgumentError(
                f"no such format: {format!r:.100}; there are {', '.join(_EXPORTS)}"
            )
        if state is not None and (state not in STATES or format != "collapsed"):
            raise errors.InvalidArgumentError(
                f"no such state of collapsed stacks: {state!r:.100}; there are "
                f"{', '.join(STATES)}"
            )
        choices = options(
            "tm_export_options",
            format=_EXPORTS[format],
            state=0 if state is None else STATES[state],
        )
        with self._lock:
            check(lib.tm_export(self._model, path_bytes(path), choices))
