# SPDX-License-Identifier: Apache-2.0
"""The timeline: a table, and in a notebook lanes to walk through.

The lanes are an anywidget that draws with the HTML report's front end. It comes with a
coarse timeline, and asks for the rows of what its reader looks at.
"""

import dataclasses
import functools
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from threadmodel import drawn, errors, page
from threadmodel._library import MAX_INT64
from threadmodel.pack import Pack, pack
from threadmodel.selection import Selection
from threadmodel.table import Table

if TYPE_CHECKING:
    from threadmodel.model import Model

# Rows that a notebook gets at first, and for each part that is shown later.
ROWS: Final = 20_000


class Timeline(Table):
    """What each thread was doing when; see Model.timeline.

    The last line of a notebook's cell is shown as lanes, where anywidget is installed,
    and else as a table.
    """

    def __init__(self, owned: Any, model: "Model", selection: Selection) -> None:
        """Take over a ``tm_table *`` that a model gave for this selection."""
        super().__init__(owned)
        self._model = model
        self._selection = selection

    def widget(self) -> Any:
        """Return the lanes, an ``anywidget.AnyWidget``.

        Raises:
            MissingExtraError: anywidget is not installed (an ImportError)
            UnsupportedError: the package was built without the front end
        """
        made = widget_class()(pack=self.first())
        made.on_msg(self.asked)
        return made

    def _repr_mimebundle_(
        self, include: Any = None, exclude: Any = None
    ) -> dict[str, Any]:
        """Show lanes in a notebook, and a table where those cannot be shown."""
        still = {"text/plain": repr(self), "text/html": self._repr_html_()}
        return with_widget(still, self.widget, include, exclude)

    def first(self) -> bytes:
        """Pack all lanes, as far as they fit, with what happened between them."""
        model, selection = self._model, self._selection
        result = Pack()
        drawn.put_drawn(result, model, ROWS, selection)
        result.add("threads", model.threads(Selection(selection.threads)))
        result.add("stacks", model.stacks(), rows=page.FRAME_ROWS)
        return result.finish(compressed=False)

    def asked(self, widget: Any, message: Any, _buffers: Any) -> None:
        """Answer a question of the lanes; ignore other messages."""
        if not isinstance(message, dict) or message.get("kind") != "tiles":
            return
        reply = {"kind": "tiles", "number": message.get("number")}
        try:
            part = self._part(message)
        except (errors.ThreadmodelError, KeyError, TypeError, ValueError) as failure:
            widget.send({**reply, "failure": str(failure)})
        else:
            widget.send(reply, buffers=[part])

    def _part(self, message: Mapping[str, Any]) -> bytes:
        """Pack rows of some lanes in a part of the run, as detailed as they fit."""
        model = self._model
        start = max(int(message["from_ns"]), self._selection.start_ns)
        end = min(int(message["to_ns"]), self._selection.end_ns or MAX_INT64)
        part = dataclasses.replace(
            self._selection,
            threads=tuple(map(int, message["threads"])),
            window=(start, end),
        )
        tile_ns = model.tile_ns(ROWS, part)
        values = {"tile_ns": tile_ns, "length_ns": model.length_ns}
        return pack(values, {"tiles": model.tiles(tile_ns, part)})


def with_widget(
    still: dict[str, Any], widget: Callable[[], Any], include: Any, exclude: Any
) -> dict[str, Any]:
    """Return the output of a notebook's cell: the widget, else a static one."""
    try:
        shown = widget()._repr_mimebundle_(include=include, exclude=exclude)
    except (errors.MissingExtraError, errors.UnsupportedError):
        return still
    data = shown[0] if isinstance(shown, tuple) else shown or {}
    return {**data, **still}


@functools.cache
def widget_class() -> Any:
    """Return the ``anywidget.AnyWidget`` of the front end.

    Raises:
        MissingExtraError: anywidget is not installed
        UnsupportedError: the package was built without the front end
    """
    try:
        import anywidget
        import traitlets
    except ImportError:
        raise errors.MissingExtraError(
            "this needs anywidget: pip install 'threadmodel[widget]'"
        ) from None

    class TimelineWidget(anywidget.AnyWidget):  # type: ignore[misc]
        """The lanes that `pack` holds, or the HTML of a `report`."""

        _esm = page.asset("widget.js")
        pack = traitlets.Bytes().tag(sync=True)
        report = traitlets.Unicode().tag(sync=True)

    return TimelineWidget
