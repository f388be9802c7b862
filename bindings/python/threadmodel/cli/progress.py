# SPDX-License-Identifier: Apache-2.0
"""A progress line on stderr, for work that takes longer than a second."""

import threading
from types import TracebackType
from typing import Final

from rich.console import Console
from rich.progress import BarColumn, SpinnerColumn, TaskID, TextColumn
from rich.progress import Progress as Display

import threadmodel

DELAY_SECONDS: Final = 1.0


class LateProgress:
    """Shows what is being done, once a second has passed, where a person watches."""

    def __init__(self) -> None:
        """Find out whether anybody watches."""
        console = Console(stderr=True, highlight=False)
        self._display = Display(
            SpinnerColumn(),
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            TextColumn("{task.percentage:>3.0f} %"),
            console=console,
            transient=True,
        )
        self._task: TaskID = self._display.add_task("reading", total=None)
        self._timer: threading.Timer | None = None
        if console.is_terminal:
            self._timer = threading.Timer(DELAY_SECONDS, self._display.start)
            self._timer.daemon = True

    def reading(self, progress: "threadmodel.Progress") -> None:
        """Take how far a file was read."""
        self._display.update(
            self._task,
            description="reading",
            completed=progress.position_bytes,
            total=progress.length_bytes or None,
        )

    def step(self, description: str) -> None:
        """Say what is done now, for as long as it takes."""
        self._display.update(self._task, description=description, total=None)

    def __enter__(self) -> "LateProgress":
        """Start the clock."""
        if self._timer:
            self._timer.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Remove the line."""
        if self._timer:
            self._timer.cancel()
            self._timer.join()
            self._display.stop()
