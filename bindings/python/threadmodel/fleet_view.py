# SPDX-License-Identifier: Apache-2.0
"""A dataset in a notebook: its report, and the timeline of a run that is named there.

The words are those of ``threadmodel fleet report``.
"""

from typing import Any, Final

from threadmodel import errors, fleet
from threadmodel.cli import fleet_page, hypertext
from threadmodel.fleet_report import Report
from threadmodel.lanes import Timeline, widget_class, with_widget
from threadmodel.text import count

TOP: Final = 20
RUN: Final = "#run"


class FleetView:
    """The report on a dataset, shown by the last line of a cell.

    A click on a run reads its recording anew, and shows its timeline below. Without
    anywidget the report is shown, and runs are not read.
    """

    def __init__(
        self,
        report: Report,
        *,
        since: str | None = None,
        before: str | None = None,
        top: int = TOP,
    ) -> None:
        """Ask all questions.

        Args:
            report: of a dataset
            since: a version, to show what changed with it
            before: the version to compare with; None: all older ones
            top: rows of each table

        Raises:
            InvalidArgumentError: there is no such version
        """
        self._sections = fleet_page.sections(report, top, since, before)
        self._urls = fleet_page.urls(self._sections)
        self._runs = report.runs
        self._shown: Timeline | None = None

    def widget(self) -> Any:
        """Return the report with runs to choose from, an ``anywidget.AnyWidget``.

        Raises:
            MissingExtraError: anywidget is not installed (an ImportError)
            UnsupportedError: the package was built without the front end
        """
        links = dict.fromkeys(self._urls, RUN)
        made = widget_class()(report=hypertext.fragment(self._sections, links))
        made.on_msg(self.asked)
        return made

    def asked(self, widget: Any, message: Any, buffers: Any) -> None:
        """Answer what the widget asks for: a run, or a part of its timeline."""
        if isinstance(message, dict) and message.get("kind") == "run":
            reply = {"number": message.get("number")}
            try:
                first = self._open(message.get("url"))
            except (errors.ThreadmodelError, OSError, ValueError) as failure:
                widget.send({**reply, "failure": str(failure)})
            else:
                widget.send(reply, buffers=[first])
        elif self._shown is not None:
            self._shown.asked(widget, message, buffers)

    def _open(self, url: object) -> bytes:
        if url not in self._urls:
            raise errors.InvalidArgumentError(f"the report names no run {url!r}")
        self._shown = fleet.opened(str(url)).timeline()
        return self._shown.first()

    def _repr_mimebundle_(
        self, include: Any = None, exclude: Any = None
    ) -> dict[str, Any]:
        """Show the report in a notebook, with runs to choose where that can be."""
        still = {
            "text/plain": repr(self),
            "text/html": hypertext.fragment(self._sections, {}),
        }
        return with_widget(still, self.widget, include, exclude)

    def __repr__(self) -> str:
        """Name it in one line."""
        return f"<FleetView of {count(self._runs, 'run')}>"
