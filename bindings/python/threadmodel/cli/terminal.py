# SPDX-License-Identifier: Apache-2.0
"""The report in a terminal: what to show of a model, and in which words."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from threadmodel import lock_time
from threadmodel.calm import calm, not_looked_for
from threadmodel.cli.deadlock_page import deadlocks
from threadmodel.cli.dump_stacks import dump_stacks
from threadmodel.cli.grid import Column, Grid
from threadmodel.cli.page import NAME_LENGTH, add_more, caller_of, name_of
from threadmodel.cli.page import Fact as Fact
from threadmodel.cli.page import Section as Section
from threadmodel.cli.page import show as show
from threadmodel.cli.path_page import PATH_KEYS, path_sums
from threadmodel.cli.ranges import stated
from threadmodel.cli.thread_page import IDLE, STATES, threads_of
from threadmodel.cli.why_page import branches
from threadmodel.judgement import judge, lines
from threadmodel.model import Model
from threadmodel.selection import ALL, Selection
from threadmodel.tables import last_ns
from threadmodel.text import clean, duration

# Those that a row of callers has.
WAITS: Final = ("blocked", "reentering", "waiting", "joining", "parked", "io")
FINDINGS: Final = 8
# Enough to know a run by; a compiler's command line names hundreds of files.
FACT_LENGTH: Final = 300

# What of the context is worth a line, by its kind: the rest are tables only.
CONTEXT: Final = {
    "gc_pause": "GC pauses",
    "pinned": "pinned",
    "submit_failed": "refused",
}

# What HotSpot locks while a class is initialised is an int[], which says nothing.
INITIALISATION: Final = "int[]"
# Causes that whole traces of sound programs have, and what they come from.
EXPLAINED: Final = {
    "initialisation_wait": "the VM reports only the end of a wait for another thread "
    "to initialise a class",
    "stale_owner": "an inferred owner proved wrong, as is usual where locks are "
    "acquired without contention",
}
LOST: Final = "lost_by_producer"
LOST_BY_AGENT: Final = (
    "events are lost when the program is faster than what writes the trace; try "
    "record -A buffer=KIB, or record --native --ring-kib KIB"
)
# A verdict names several threads, each in a sentence.
VERDICT_LENGTH: Final = 2000

# Questions that are not asked about a part of a run.
OF_WHOLE_RUN: Final = (
    "Uneven threads, processors, lock order and gains are examined only for whole runs."
)

Row = dict[str, Any]
# A row of callers, and one of the states in which threads were there.
Place = tuple[Row, str]


def sections(model: Model, top: int, part: Selection = ALL) -> list[Section]:
    """Ask a model for all that the report shows.

    Args:
        model: asked
        top: rows of each table
        part: of the run
    """
    threads = list(model.threads())
    odd = {row["cause"]: row["count"] for row in model.diagnostics()}
    hot, waits = _divide(model, part)
    judged, found = judge(model, part), list(model.findings(part))
    first = verdict(model, judged, found, part)
    state_part(model, part, first)
    path = model.path_rollup(
        PATH_KEYS, from_ns=part.start_ns or None, to_ns=last_ns(model, part)
    )
    wanted = [
        first,
        _summary(model, threads, odd),
        _findings(model, FINDINGS, judged, found, part),
        dump_stacks(model, top),
        _blocking("Hottest locks", hot, top) or _never_blocked(),
        _blocking("Longest waits", waits, top) or Section(""),
        threads_of(model, top, part),
        path_sums(path, top, model.caveats),
        deadlocks(model, part),
        _diagnostics(odd),
    ]
    return [section for section in wanted if section.body]


def verdict(
    model: Model, judged: Row, found: Sequence[Row], part: Selection = ALL
) -> Section:
    """Say first whether the program could go on, and what that rests on.

    Args:
        model: asked
        judged: its verdict
        found: its findings
        part: of the run
    """
    heading, *body = opening(judged, [row for row in found if not row["minor"]])
    section = Section(clean(heading, NAME_LENGTH))
    for text in body:
        section.line(clean(text, VERDICT_LENGTH))
    for text in branches(model, part):
        section.line(clean(text, VERDICT_LENGTH))
    return section


def opening(judged: Row, cards: Sequence[Row]) -> list[str]:
    """Return a verdict's title and its lines.

    Where no verdict can be given, as of dumps, the first finding comes before it.

    Args:
        judged: the row of the verdict
        cards: findings that are not minor, the largest first
    """
    said = [judged["title"], *lines(judged)]
    if judged["kind"] == "cannot_tell" and cards:
        said.insert(0, f"{title_of(cards[0])}.")
    return said


def _summary(model: Model, threads: Sequence[Row], odd: Mapping[str, int]) -> Section:
    run = model.run
    virtual = sum(bool(thread["virtual"]) for thread in threads)
    facts = {
        "source": run.source,
        "runtime": run.vm,
        "command": run.command,
        "start": run.start,
        "length": duration(model.length_ns),
        "threads": f"{len(threads):,}" + (f", {virtual:,} virtual" if virtual else ""),
        "events": f"{model.event_count:,}",
    }
    section = Section("Run")
    for name, value in facts.items():
        if value:
            section.body.append(Fact(name, clean(value, FACT_LENGTH)))
    for row in model.context_totals():
        if row["kind"] in CONTEXT:
            section.body.append(Fact(CONTEXT[row["kind"]], _context(row)))
    for caveat in model.caveats:
        section.body.append(Fact("caveat", clean(caveat, NAME_LENGTH), "yellow"))
    if "threadmodel-agent" in (run.producer or "") and LOST in odd:
        section.body.append(Fact("", LOST_BY_AGENT, "yellow"))
    return section


def _context(row: Row) -> str:
    """Say how often, and how long where it has a length: what stopped all threads."""
    text = f"{row['count']:,}"
    if row["max_ns"]:
        total, longest = duration(row["total_ns"]), duration(row["max_ns"])
        text += f", {total} in all, the longest {longest}"
    if row["kind"] == "gc_pause" and row["share"] is not None:
        text += f", {row['share']:.1%} of the run"
    return text


def findings(model: Model, most: int, selection: Selection = ALL) -> Section:
    """A card of four lines each: title; who waits; who holds; what would be gained and
    what to try. Minor ones as titles, and what was not looked for."""
    return _findings(model, most, None, list(model.findings(selection)), selection)


def _findings(
    model: Model,
    most: int,
    judged: Row | None,
    found: Sequence[Row],
    selection: Selection = ALL,
) -> Section:
    section = Section("What is worth looking at")
    rows = [row for row in found if not row["minor"]]
    minor = [row for row in found if row["minor"]]
    for row in rows[:most]:
        impact = duration(row["impact_ns"]) if row["impact_ns"] else "-"
        section.body.append(Fact(impact, title_of(row), "bold"))
        tried = " ".join(filter(None, (row["gain"], row["advice"], row["caveat"])))
        for text in (row["waits"], row["holds"], tried):
            if text:
                section.body.append(Fact("", clean(text, NAME_LENGTH)))
    add_more(section, len(rows) - most)
    if not rows:
        section.line(calm(model, judged, selection))
    if selection != ALL:
        section.line(OF_WHOLE_RUN, "dim")
    if minor:
        section.line(
            "little to gain: " + "; ".join(title_of(row) for row in minor[:FINDINGS]),
            "dim",
        )
    for text in not_looked_for(model):
        section.line(text, "dim")
    return section


def title_of(row: Row) -> str:
    """Write the title of a finding, with the word for a suspicion."""
    title = clean(row["title"], NAME_LENGTH)
    return f"Suspected: {title}" if row["suspected"] else title


def _divide(
    model: Model, selection: Selection = ALL
) -> tuple[list[Place], list[Place]]:
    """Divide what callers did into queueing for locks, and waiting for others."""
    locks = lock_time.by_place(model, selection)
    hot: list[Place] = []
    waits: list[Place] = []
    for row in model.callers(selection):
        for state in WAITS:
            if row[f"{state}_count"]:
                is_lock = lock_time.is_lock(row, state, locks)
                (hot if is_lock else waits).append((row, state))
    return hot, waits


def _never_blocked() -> Section:
    section = Section("Hottest locks")
    section.line("no thread was ever blocked by a lock")
    return section


def _blocking(heading: str, places: Sequence[Place], top: int) -> Section | None:
    """List class, caller and state, the longest total first; idle ones apart."""
    if not places:
        return None
    found = [it for it in places if not (it[0]["idle"] and it[1] in IDLE)]
    idle = [it for it in places if it[0]["idle"] and it[1] in IDLE]
    found.sort(key=lambda item: -item[0][f"{item[1]}_total_ns"])
    section = Section(heading)
    if found:
        columns = [
            Column("class", name=True, style="bold"),
            Column("called from", name=True),
            Column("state", label=True),
            *(Column(title) for title in ("count", "total", "p50", "p99")),
            *(Column(title, optional=True) for title in ("max", "threads")),
        ]
        rows = [
            [
                name_of(row["class"]),
                caller_of(row),
                state,
                f"{row[f'{state}_count']:,}",
                *(
                    duration(row[f"{state}_{figure}_ns"])
                    for figure in ("total", "p50", "p99", "max")
                ),
                _threads_in(row, state),
            ]
            for row, state in found[:top]
        ]
        section.body.append(Grid(columns, rows))
        add_more(section, len(found) - top)
        if any(row["class"] == INITIALISATION for row, _ in found[:top]):
            section.line(
                f"{INITIALISATION}: on HotSpot, the lock of a class that another "
                "thread initialises",
                "dim",
            )
    if idle:
        _add_idle(section, idle)
    return section


def _threads_in(row: Row, state: str) -> str:
    """How many threads were in a state there: a row knows its own, of all states."""
    most = min(row["threads"], row[f"{state}_count"])
    others = (row.get(f"{other}_count") for other in STATES if other != state)
    return f"<= {most:,}" if most > 1 and any(others) else f"{most:,}"


def _add_idle(section: Section, idle: Sequence[tuple[Row, str]]) -> None:
    """Add up by method how long workers had nothing to do."""
    counts: dict[str, int] = {}
    totals: dict[str, int] = {}
    for row, state in idle:
        method = row["method"]
        counts[method] = counts.get(method, 0) + row[f"{state}_count"]
        totals[method] = totals.get(method, 0) + row[f"{state}_total_ns"]
    section.line("idle, that is, waiting for work:", "dim")
    columns = [Column("in", name=True), Column("count"), Column("total")]
    rows = [
        [name_of(method), f"{counts[method]:,}", duration(totals[method])]
        for method in sorted(totals, key=lambda method: -totals[method])
    ]
    section.body.append(Grid(columns, rows))


def state_part(model: Model, part: Selection, section: Section) -> None:
    """Let the heading of a section begin with the part of the run that it is about."""
    named = stated(model, part)
    if named:
        section.heading = f"{named}: {section.heading}"


def _diagnostics(odd: Mapping[str, int]) -> Section:
    """List inconsistencies, but for losses, which are a caveat."""
    section = Section("Inconsistencies in the events")
    found = {cause: number for cause, number in odd.items() if cause != LOST}
    if found:
        columns = [Column("cause", name=True), Column("events")]
        rows = [[_cause(cause), f"{number:,}"] for cause, number in found.items()]
        section.body.append(Grid(columns, rows))
    for cause in EXPLAINED:
        if cause in found:
            section.line(f"{_cause(cause)}: {EXPLAINED[cause]}", "dim")
    return section


def _cause(cause: str) -> str:
    return name_of(cause).replace("_", " ")
