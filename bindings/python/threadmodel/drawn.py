# SPDX-License-Identifier: Apache-2.0
"""Data of a page's timeline: lanes of threads, locks and pools."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Final

from threadmodel import evidence, excerpt
from threadmodel.pack import Pack
from threadmodel.selection import ALL, Selection

if TYPE_CHECKING:
    from threadmodel.model import Model
    from threadmodel.table import Table

Listener = Callable[[str], object]

# So many of the longest blocking intervals are explained in the page.
CHAINS: Final = 4_000
#: Columns of the timeline that a page does not need: the end of a row follows from its
#: times in all states, and other tables have the names of threads.
LEFT_OUT: Final = ("thread", "end_ns", "peer")
# The most lanes of locks, and as many of pools.
LOCKS: Final = 12

# The most blocks and waits for resources whose shares are in a page. With more, its
# tables of owners are only for the whole run.
SHARED: Final = 150_000
_SHARE: Final = (
    *("thread_id", "thread", "block_start_ns", "state", "class", "method", "source"),
    *("line", "start_ns", "end_ns", "share", "owner_id", "owner", "owner_method"),
    *("owner_source", "owner_line", "provenance"),
)

# Columns of a hold that its lane shows.
_HELD: Final = (
    *("object", "thread_id", "thread", "method", "line", "shared", "contested"),
    *("start_ns", "end_ns", "start_latest_ns", "end_earliest_ns"),
    *("start_provenance", "end_provenance"),
)
# Columns of a pool, and of its uses.
_POOL: Final = ("class", "waiting_method")
_USED: Final = (*_POOL, "thread_id", "thread", "start_ns", "end_ns")


def timeline(model: "Model", detail: int, step: Listener) -> bytes:
    """Pack intervals, interactions, the critical path, holds and uses."""
    pack = Pack()
    put_all(pack, model, detail, step)
    return pack.finish()


def put_all(pack: Pack, model: "Model", detail: int, step: Listener) -> None:
    """Put the data of the lanes, and the owners and users that threads waited for."""
    waits = put_drawn(pack, model, detail, left_out=LEFT_OUT, step=step)
    if waits <= SHARED:
        pack.add("shares", model.blame(), _SHARE)
        pack.add("use_shares", model.blame(of="resources"), _SHARE)


def put_drawn(
    pack: Pack,
    model: "Model",
    detail: int,
    selection: Selection = ALL,
    left_out: Iterable[str] = (),
    step: Listener = lambda _: None,
) -> int:
    """Put the data of the lanes: intervals, interactions, critical path, holds.

    Returns the number of blocks by locks and waits for resources.

    Args:
        pack: gets them
        model: asked
        detail: rows of the timeline at most
        selection: what is drawn
        left_out: columns that are not packed
        step: called with a name of the data that is written next
    """
    step("timeline")
    tile_ns = model.tile_ns(detail, selection)
    pack.put("tile_ns", tile_ns)
    pack.put("length_ns", model.length_ns)
    tiles = model.tiles(tile_ns, selection)
    pack.add("tiles", tiles, [name for name in tiles.columns if name not in left_out])
    context = model.context()
    pauses = [row for row, kind in enumerate(context["kind"]) if kind == "gc_pause"]
    kept = excerpt.of_path(context.gather(pauses))
    pack.add("pauses", context.gather(pauses), ("start_ns", "end_ns"), kept)
    step("interactions")
    interactions = model.interactions(selection)
    rows = excerpt.of_interactions(interactions, tiles)
    pack.add("interactions", interactions, rows=rows)
    step("critical path")
    path = model.critical_path()
    pack.add("critical_path", path, rows=excerpt.of_path(path))
    step("explanations")
    chains = model.explain(count=CHAINS)
    pack.add("chains", chains, ("chain", "at_ns", "thread_id", "reason", "text"))
    step("locks")
    blocks = _put_holds(pack, model, selection)
    return blocks + _put_uses(pack, model, selection)


def _put_holds(pack: Pack, model: "Model", selection: Selection) -> int:
    """Put the owners of the locks that blocked threads longest.

    All owners are included, whichever threads are selected. Returns the number of
    blocks.
    """
    locks = model.blame("object", selection)
    known = [row for row, name in enumerate(locks["object"]) if name is not None]
    pack.put("locks_total", len(known))
    pack.add("locks", locks, ("object", "class", "total_ns"), known[:LOCKS])
    names = frozenset(locks["object"][row] for row in known[:LOCKS])
    holds = model.holds(Selection(None, selection.classes, selection.window, _HELD))
    rows = list(evidence.marked(holds.mark({"object": names})))
    pack.put("holds_total", len(rows))
    chosen = excerpt.of_holds(holds, rows, model.length_ns)
    pack.add("holds", holds, _HELD, chosen)
    return sum(locks["count"])


def _put_uses(pack: Pack, model: "Model", selection: Selection) -> int:
    """Put the users of the pools that threads waited for longest.

    A resource that is released in several places is one pool. Returns the number of
    waits.
    """
    resources = model.resources(selection)
    pools: dict[tuple[str | None, ...], int] = {}
    for row, place in enumerate(_places(resources)):
        if resources["uses"][row] and not resources["idle"][row]:
            pools.setdefault(place, row)
    shown = dict(list(pools.items())[:LOCKS])
    pack.put("pools_total", len(pools))
    pack.add("pools", resources, (*_POOL, "permits"), list(shown.values()))
    waits = sum(resources["waits"])
    if not shown:
        return waits
    uses = model.resource_uses(
        Selection(None, selection.classes, selection.window, _USED)
    )
    rows = [row for row, place in enumerate(_places(uses)) if place in shown]
    pack.put("uses_total", len(rows))
    pack.add("uses", uses, _USED, excerpt.of_holds(uses, rows, model.length_ns))
    return waits


def _places(table: "Table") -> Iterable[tuple[str | None, ...]]:
    return zip(*(table[name] for name in _POOL), strict=True)
