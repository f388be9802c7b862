# SPDX-License-Identifier: Apache-2.0
"""A progress line on stderr, for work that takes longer than a second."""

import threading
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final

from rich.console import Console

import threadmodel

if TYPE_CHECKING:
    from rich.progress import Progress as Display

DELAY_SECONDS: Final = 1.0


class LateProgress:
    """Shows the current step on a terminal, once a second has passed."""

    def __init__(self) -> None:
        """Begin; on a terminal the line appears after a second."""
        self._console = Console(stderr=True, highlight=False)
        self._lock = threading.Lock()
        self._state: dict[str, Any] = {"description": "reading", "total": None}
        self._display: Display | None = None
        self._timer: threading.Timer | None = None
        if self._console.is_terminal:
            self._timer = threading.Timer(DELAY_SECONDS, self._show)
            self._timer.daemon = True

    def _show(self) -> None:
        # A short task does not pay for this import.
        from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn

        display = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            TextColumn("{task.percentage:>3.0f} %"),
            console=self._console,
            transient=True,
        )
        with self._lock:
            display.add_task(**self._state)
            self._display = display
        display.start()

    def _update(self, **state: Any) -> None:
        with self._lock:
            self._state = state
            if self._display:
                self._display.update(self._display.task_ids[0], **state)

    def reading(self, progress: "threadmodel.Progress") -> None:
        """Show the progress of reading a file."""
        self._update(
            description="reading",
            completed=progress.position_bytes,
            total=progress.length_bytes or None,
        )

    def step(self, description: str) -> None:
        """Show the current step, for as long as it takes."""
        self._update(description=description, total=None)

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
        if self._display:
            self._display.stop()
