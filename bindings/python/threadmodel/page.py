# SPDX-License-Identifier: Apache-2.0
"""The report as one HTML file that needs nothing else: no network, no other file.

The page is the same for every run, but for two packs of tables in it (see pack.py).
They are in base64, which contains no character that is special in HTML. The page allows
no script but its own, named by its hash, and no connection at all: names from the
recorded program are shown as text, whatever they contain.
"""

import base64
import html
import itertools
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from threadmodel import drawn, errors, evidence, lock_time, permits, tables
from threadmodel._enums import STATES
from threadmodel._library import BUILT_VERSION, version_text
from threadmodel.calm import calm
from threadmodel.judgement import judge, lines
from threadmodel.pack import Pack
from threadmodel.selection import ALL, Selection
from threadmodel.text import clean, count, duration

if TYPE_CHECKING:
    from threadmodel.model import Model
    from threadmodel.table import Table

Listener = Callable[[str], object]

# Limits of a report, which states what it leaves out.
TILE_ROWS: Final = 400_000
CELL_ROWS: Final = 150_000
BUCKET_ROWS: Final = 500_000
OBJECT_ROWS: Final = 300_000
FRAME_ROWS: Final = 500_000
LIST_ROWS: Final = 20_000
EVIDENCE_ROWS: Final = 1_000
# The most blocking intervals of all replays of the what-if ranking. A run with more
# than a few hundred thousand is replayed only for its findings.
REPLAYED: Final = 5_000_000
# Replays of each change: with uncertain values at both bounds and in the middle.
_REPLAYS: Final = 3
# Changes that the ranking tries at most.
CHANGES: Final = 20
# Levels of the tree of causes that are drawn; and the part of the whole, as a divisor,
# that is too small to be drawn.
CAUSES_DEEP: Final = 12
CAUSES_THIN: Final = 2_000

_CAUSES: Final = (
    *("id", "parent", "depth", "cause", "text", "time_ns", "count"),
    *("name", "class", "method"),
)
_CELL_FIGURES: Final = tuple(
    f"{state}_{figure}"
    for state in STATES
    for figure in ("count", "total_ns", "min_ns", "max_ns")
)
# States in which a thread can queue for a lock or a permit.
_QUEUEING: Final = ("blocked", "waiting", "reentering", "parked")
_CELL_LATENCIES: Final = tuple(f"{state}_latency_ns" for state in _QUEUEING)
_PLACE: Final = ("class", "method", "source", "line")
_PAGE: Final = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="threadmodel {version}">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
{body}
{packs}
<script>{script}</script>
</body>
</html>
"""


def asset(name: str) -> str:
    """Return a file of the front end, as it was bundled when the package was built.

    Raises:
        UnsupportedError: the package was built without it
    """
    try:
        return (Path(__file__).parent / "web" / name).read_text(encoding="utf-8")
    except FileNotFoundError:
        raise errors.UnsupportedError(
            "this build of threadmodel has no front end for HTML: it was built without "
            "Node.js and npm; in a source tree, ./dev build adds it"
        ) from None


def render(
    model: "Model",
    *,
    detail: int = TILE_ROWS,
    step: Listener = lambda _: None,
    part: Selection | None = None,
) -> str:
    """Return the whole page.

    Args:
        model: asked
        detail: rows of the timeline to hold at most; where there are more intervals,
            the shortest are merged
        step: called with what is being written
        part: of the run, which its tables are of; its window is what the timeline
            shows at first

    Raises:
        UnsupportedError: the package was built without the front end
    """
    name = html.escape(title(model, ALL if part is None else part))
    step("findings")
    chosen = ALL if part is None else part
    findings, verdict = model.findings(chosen), judge(model, chosen)
    packs = {
        "answers": answers(model, findings, verdict, step, part),
        "timeline": drawn.timeline(model, detail, step),
    }
    still = _still(model, findings, verdict)
    body = f'<div id="report"><main class="still"><h1>{name}</h1>{still}</main></div>'
    return whole(name, body, packs)


def whole(name: str, body: str, packs: Mapping[str, bytes]) -> str:
    """Return a page of the front end.

    Args:
        name: its title, as HTML
        body: what there is to see until its script has run, as HTML
        packs: what its script reads, by name
    """
    # This library is loaded only for a page.
    import hashlib

    script, style = asset("report.js"), asset("report.css")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = (
        f"default-src 'none'; script-src 'sha256-{digest}'; "
        "style-src 'unsafe-inline'; img-src data: blob:; font-src data:"
    )
    return _PAGE.format(
        policy=policy,
        version=version_text(BUILT_VERSION),
        title=name,
        style=style,
        body=body,
        packs="\n".join(
            f'<script type="application/octet-stream" id="pack-{name}">'
            f"{base64.b64encode(data).decode()}</script>"
            for name, data in packs.items()
        ),
        script=script,
    )


def title(model: "Model", part: Selection = ALL) -> str:
    """Return the title of the run, with the part that is shown."""
    run = model.run
    name = clean(f"Threads of {run.command or run.source or 'a run'}", 200)
    if part.window is None:
        return name
    start_ns, end_ns = tables.bounds(model, part)
    return f"{name}, from {duration(start_ns)} to {duration(end_ns)}"


def _still(model: "Model", findings: "Table", verdict: dict[str, Any]) -> str:
    """Write the text for a browser that runs no scripts."""
    found = [f"{verdict['title']} {' '.join(lines(verdict))}"]
    found += [f"{row['title']}. {row['text'] or ''}" for row in findings]
    rows = "".join(f"<li>{html.escape(clean(text))}</li>" for text in found)
    length = html.escape(duration(model.length_ns))
    return (
        f"<p>{count(len(model.threads()), 'thread')}, {length}.</p><ol>{rows}</ol>"
        "<noscript><p>The rest of this report needs JavaScript. This file contains "
        "all of it.</p></noscript>"
    )


def facts(
    model: "Model", verdict: dict[str, Any], part: Selection = ALL
) -> dict[str, Any]:
    """Return the facts of the run for the overview."""
    run = model.run
    return {
        "title": title(model, part),
        "source": run.source,
        "format": run.format,
        "producer": run.producer,
        "vm": run.vm,
        "command": run.command,
        "pid": run.pid or None,
        "start": run.start,
        "length_ns": model.length_ns,
        "locks_ns": lock_time.total_ns(model, part),
        "calm": calm(model, verdict, part),
        "verdict": verdict,
        "threshold_ns": run.threshold_ns,
        "events": model.event_count,
        "caveats": list(model.caveats),
        "damage": model.damage,
        "version": version_text(BUILT_VERSION),
    }


def answers(
    model: "Model",
    findings: "Table",
    verdict: dict[str, Any],
    step: Listener,
    part: Selection | None = None,
) -> bytes:
    """Pack all tables but those of the timeline."""
    pack = Pack()
    chosen = ALL if part is None else part
    path: dict[str, Any] = {
        "from_ns": chosen.start_ns,
        "to_ns": tables.last_ns(model, chosen),
    }
    if part is not None:
        pack.put("range", tables.bounds(model, part))
    pack.put("run", facts(model, verdict, chosen))
    pack.put("licences", json.loads(asset("licences.json")))
    pack.add("findings", findings)
    pack.add("finding_kinds", model.finding_kinds())
    _put_evidence(pack, model, findings, part)
    put_causes(pack, model, chosen)
    pack.add("diagnostics", model.diagnostics())
    pack.add("threads", model.threads(chosen))
    pack.add("deadlocks", tables.deadlocks_in(model, chosen), rows=LIST_ROWS)
    step("statistics")
    _put_statistics(pack, model, chosen)
    step("locks")
    pack.add("blockers", model.blockers(chosen), rows=LIST_ROWS)
    put_owners(pack, model, chosen)
    resources = model.resources(chosen)
    pack.add("resources", resources, rows=LIST_ROWS)
    pack.put("permits", permits.in_use(model, resources))
    users = model.blame(("class", "owner", "owner_method"), chosen, of="resources")
    known = [row for row, owner in enumerate(users["owner_id"]) if owner is not None]
    pack.add("users", users, rows=known[:LIST_ROWS])
    pack.add("lock_order", model.lock_order(), rows=LIST_ROWS)
    pack.add("lock_edges", model.lock_edges(), rows=LIST_ROWS)
    step("critical path")
    pack.add("path_threads", model.path_rollup(**path), rows=LIST_ROWS)
    pack.add("path_states", model.path_rollup(("state",), **path), rows=LIST_ROWS)
    methods = model.path_rollup(("method", "class"), **path)
    pack.add("path_methods", methods, rows=LIST_ROWS)
    step("what-if")
    _put_whatif(pack, model, chosen)
    put_stacks(pack, model, chosen, step)
    return pack.finish()


def put_stacks(pack: Pack, model: "Model", part: Selection, step: Listener) -> None:
    """Put the data of flame graphs: frames, and times by stack."""
    step("stacks")
    totals = [f"{state}_total_ns" for state in STATES]
    flame = model.statistics(("stack", "caller"), part)
    pack.add("flame", flame, ["stack", "idle", *totals], LIST_ROWS)
    pack.add("stacks", model.stacks(), rows=FRAME_ROWS)


def put_owners(pack: Pack, model: "Model", part: Selection) -> None:
    """Put the time for which threads were blocked, by owner and the owner's method."""
    owners = model.blame(("class", "owner", "owner_method"), part)
    pack.add("blame", owners, rows=LIST_ROWS)


def put_causes(pack: Pack, model: "Model", part: Selection) -> None:
    """Put the tree of causes as deep as it is drawn, without parts that are too small.

    Rows follow their parents, and a child has no more time than its parent: no row
    stays whose parent is left out.
    """
    causes = model.causes(main=True, depth=CAUSES_DEEP, selection=part)
    times = causes["time_ns"]
    least = max(times[0] // CAUSES_THIN, 1) if times else 0
    kept = [row for row, time_ns in enumerate(times) if time_ns >= least]
    if len(kept) > LIST_ROWS:
        least = sorted((times[row] for row in kept), reverse=True)[LIST_ROWS]
        kept = [row for row in kept if times[row] > least]
    pack.add("causes", causes, _CAUSES, kept)


def _put_whatif(pack: Pack, model: "Model", part: Selection) -> None:
    """Put the changes with the greatest gains, if replays of the run are short enough.

    A replay takes as long as several other answers together.
    """
    (total,) = [*model.total()] or [{}]
    blocks = sum(total.get(f"{state}_count", 0) for state in STATES)
    replays = REPLAYED // max(blocks, 1)
    # The replays of the unchanged run take as long as those of one change.
    tried = max(replays // _REPLAYS - 1, 0)
    pack.put("whatif_tried", tried if tried < CHANGES else None)
    if tried:
        ranked = model.whatif_rank(min(tried, CHANGES), window=part.window)
        pack.add("whatif", ranked, rows=LIST_ROWS)


def _put_evidence(
    pack: Pack, model: "Model", findings: "Table", part: Selection | None
) -> None:
    """Put the rows that each finding rests on, in a table by its rank."""
    asked: dict[str, Table] = {}
    for finding in findings:
        name = finding["evidence_table"]
        if name not in asked:
            chosen = part if tables.takes_selection(model, name) else None
            asked[name] = tables.ask(model, name, selection=chosen)
        marks = evidence.matching(asked[name], finding["evidence_where"])
        rows = list(itertools.islice(evidence.marked(marks), EVIDENCE_ROWS))
        found = asked[name].gather(rows)
        pack.add(f"evidence_{finding['rank']}", found, total=marks.count(1))


def _put_statistics(pack: Pack, model: "Model", part: Selection) -> None:
    """Put statistics that add up to the model's answers for any choice of threads.

    Count, total, minimum, maximum and buckets of blocking intervals by thread and place
    merge without loss. If there are too many, they are not divided by thread.
    """
    keys: tuple[str, ...] = ("thread", "class", "caller")
    columns: tuple[str, ...] = ("thread_id", *_PLACE)
    # Latencies take longest to compute, so the rows are counted without them.
    if len(model.statistics(keys, part)) > CELL_ROWS:
        keys, columns = keys[1:], _PLACE
    cells = model.statistics((*keys, "latency"), part)
    pack.put("by_thread", keys[0] == "thread")
    figures = (*_CELL_FIGURES, *_CELL_LATENCIES)
    shown = (*columns, "idle", "objects", "threads", *figures)
    pack.add("cells", cells, shown)
    for state in STATES:
        if any(cells[f"{state}_count"]):
            _put_buckets(pack, model, state, keys, columns, part)
    # The table has a row for each object of each cell.
    if sum(cells["objects"]) <= OBJECT_ROWS:
        objects = model.statistics((*keys, "object"), part)
        pack.add("cell_objects", objects, [*columns, "object"])


def _put_buckets(
    pack: Pack,
    model: "Model",
    state: str,
    keys: Sequence[str],
    columns: Sequence[str],
    part: Selection,
) -> None:
    """Put a histogram of each cell; if there are too many, of each place."""
    figures = ("low_ns", "high_ns", "count")
    buckets = model.histogram(state, keys, part)
    if len(buckets) <= BUCKET_ROWS:
        pack.add(f"buckets_{state}", buckets, [*columns, *figures])
        return
    places = keys[-2:]
    buckets = model.histogram(state, places, part) if places != keys else buckets
    if len(buckets) <= BUCKET_ROWS:
        pack.add(f"place_buckets_{state}", buckets, [*_PLACE, *figures])
