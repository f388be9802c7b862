# SPDX-License-Identifier: Apache-2.0
"""The report as one screen: verdict, the largest causes, and where to go on.

    Deadlocked since 44.4 ms: 2 threads wait for one another in a circle.
      ...
    594 ms   3 threads blocked by Till whose owner sleeps in Till.charge
             3 threads were blocked 32 times, 594 ms in all, in Till.charge:39.
             Do the slow part before the lock is acquired or after it is released.
             threadmodel stats run.tmt --class Till --by thread

As many cards are shown as the screen holds, one at least. Every text is whole: where
there is little room, later sentences are left out.
"""

import re
import textwrap
from collections.abc import Sequence
from typing import Any, Final

from rich.console import Console
from rich.text import Text

from threadmodel.calm import not_looked_for
from threadmodel.cli import terminal
from threadmodel.cli.dump_stacks import dump_stacks
from threadmodel.cli.messages import called_as, quoted, shell_word
from threadmodel.cli.names import short
from threadmodel.cli.page import FACT_WIDTH, NAME_LENGTH, Fact, Section
from threadmodel.cli.ranges import options_of
from threadmodel.judgement import HUNG, judge
from threadmodel.model import Model
from threadmodel.selection import ALL, Selection
from threadmodel.text import clean, count, duration

# Lines of a terminal of the usual size.
HEIGHT: Final = 24
INDENT: Final = 2
# Permits that the command of a card adds to a lock: so many that no thread waits.
NOBODY_WAITS: Final = 999
# Lines of a card for the waits, and for the advice with its gain; the advice has more
# if the screen has room.
WAITS_LINES: Final = 2
ADVICE_LINES: Final = 2
MOST_ADVICE_LINES: Final = 5
VERDICT_LINES: Final = 5
# Findings with little to gain that are shown if there are no others.
MINOR: Final = 5
# Lines of a table of stacks besides its rows: an empty line, the heading, the names of
# columns, and the number of rows that are not shown.
STACKS_HEIGHT: Final = 4
# With fewer rows, a table of stacks is left out.
LEAST_STACKS: Final = 4
# Longer texts are cut before they are divided into sentences.
TEXT_LENGTH: Final = 4000
# Findings that would repeat a verdict, by the kind of the verdict.
SAID_BY_VERDICT: Final = dict.fromkeys(HUNG, ("deadlock", *HUNG))
_SENTENCE: Final = re.compile(r"(?<=\.) +")
# The command that shows more of a finding, by its table of evidence.
_MORE: Final = {
    "deadlocks": "deadlocks {file}",
    "critical_path": "path {file}",
    "path_rollup": "path {file}",
    "interactions": "explain {file}",
    "lock_order": "deadlocks {file}",
    "threads": "threads {file}",
}

Row = dict[str, Any]


def sections(
    model: Model, files: Sequence[str], console: Console, part: Selection = ALL
) -> list[Section]:
    """Return the sections of a report that fits one screen.

    Args:
        model: asked
        files: as they were named, for the commands of cards
        console: its width limits the lines
        part: of the run
    """
    judged = judge(model, part)
    said = SAID_BY_VERDICT.get(judged["kind"], ())
    everything = list(model.findings(part))
    found = [row for row in everything if not row["minor"]]
    cards = [row for row in found if row["kind"] not in said]
    heading, *body = terminal.opening(judged, cards)
    verdict = Section(clean(heading, NAME_LENGTH))
    terminal.state_part(model, part, verdict)
    verdict.heading = _wrapped(verdict.heading, console.width)
    verdict.body += fitting(body, console, VERDICT_LINES)
    # Most commands take one file.
    file = shell_word(files[0]) + options_of(part) if len(files) == 1 else None
    ending = Section(_wrapped(_run(model), console.width))
    _notes(ending, model, " ".join(map(shell_word, files)) + options_of(part))
    room = HEIGHT - _height(verdict, console) - _height(ending, console) - 3
    shown, others = _cards(cards, file, console, room)
    if not cards:
        others = [row for row in everything if row["minor"]][:MINOR]
        others.sort(key=lambda row: -(row["impact_ns"] or 0))
        shown.heading = "Causes with little to gain" if others else ""
    if others:
        _also(shown, others, file, room - _height(shown, console), console)
    stacks = _stacks(model, room - _height(shown, console) if shown.heading else room)
    return [section for section in (verdict, shown, stacks, ending) if section.heading]


def _stacks(model: Model, room: int) -> Section:
    """Return the stacks of a dump, if there is room for them."""
    rows = room - STACKS_HEIGHT
    section = dump_stacks(model, max(rows, 1), is_brief=True)
    is_whole = len(section.body) == 1
    return section if rows >= LEAST_STACKS or (rows > 0 and is_whole) else Section("")


def _wrapped(text: str, width: int) -> str:
    return "\n".join(textwrap.wrap(text, width, break_on_hyphens=False))


def fitting(texts: Sequence[str], console: Console, most: int) -> list[Text]:
    """Return the first sentences of texts in at most so many lines, one at least."""
    kept: list[Text] = []
    for text in texts:
        room = most - len(kept)
        if kept and room <= 0:
            break
        whole = _whole(text, console, room)
        wrapped = _wrapped(whole, console.width - INDENT).split("\n")
        if kept and len(wrapped) > room:
            break
        kept += map(Text, wrapped)
    return kept


def _lines(part: Any, console: Console) -> int:
    if isinstance(part, Fact):
        width = max(console.width - FACT_WIDTH, FACT_WIDTH)
        return len(Text(part.value).wrap(console, width, overflow="fold"))
    if isinstance(part, Text):
        return len(part.wrap(console, max(console.width - 2, FACT_WIDTH)))
    return len(part.rows) + 1


def _height(section: Section, console: Console) -> int:
    return (
        section.heading.count("\n")
        + 1
        + sum(_lines(part, console) for part in section.body)
    )


def _cards(
    rows: Sequence[Row], file: str | None, console: Console, room: int
) -> tuple[Section, Sequence[Row]]:
    """Return the cards that fit, at least one, and the other findings."""
    section = Section("Largest causes" if rows else "")
    cards: list[list[Fact | Text]] = []
    left = room - 1
    for number, row in enumerate(rows):
        card = _card(row, file, console, ADVICE_LINES)
        height = sum(_lines(part, console) for part in card)
        # The other findings need at least one line.
        if number and height > left - (number + 1 < len(rows)):
            break
        cards.append(card)
        left -= height
    others = rows[len(cards) :]
    left -= bool(others)
    for row, card in zip(rows, cards, strict=False):
        most = min(ADVICE_LINES + max(left, 0), MOST_ADVICE_LINES)
        longer = _card(row, file, console, most)
        left += sum(_lines(part, console) for part in card)
        left -= sum(_lines(part, console) for part in longer)
        section.body += longer
    return section, others


def _card(
    row: Row, file: str | None, console: Console, advice_lines: int
) -> list[Fact | Text]:
    impact = duration(row["impact_ns"]) if row["impact_ns"] else "-"
    # A finding of a dump has no advice, but states what the owner did.
    advice = " ".join(filter(None, (row["advice"], row["gain"]))) or row["holds"]
    parts: list[Fact | Text] = [Fact(impact, terminal.title_of(row), "bold")]
    for text, most in ((row["waits"], WAITS_LINES), (advice, advice_lines)):
        if text:
            parts.append(Fact("", _sentences(text, console, most)))
    # A command is not wrapped, so that it can be copied.
    if file is not None:
        parts.append(Text(" " * (FACT_WIDTH - INDENT) + _command(row, file), "cyan"))
    return parts


def _sentences(text: str, console: Console, most: int) -> str:
    """Return the first sentences of a card's text that fit into so many lines."""
    return _whole(text, console, most, FACT_WIDTH)


def _whole(text: str, console: Console, most: int, indent: int = INDENT) -> str:
    """Return the first sentences that fit into so many lines, one at least."""
    width = max(console.width - indent, FACT_WIDTH)
    kept = ""
    for sentence in _SENTENCE.split(clean(text, TEXT_LENGTH)):
        longer = f"{kept} {sentence}".lstrip()
        if kept and len(Text(longer).wrap(console, width, overflow="fold")) > most:
            break
        kept = longer
    return kept


def _command(row: Row, file: str) -> str:
    """Return the command that shows more of a finding.

    Args:
        row: the finding
        file: as the shell takes it, with the options of a range
    """
    form = _MORE.get(row["evidence_table"])
    if form is not None:
        return f"{called_as()} {form.format(file=file)}"
    if row["kind"] in HUNG and row["thread_id"] is not None:
        thread = quoted(row["thread"] or f"#{row['thread_id']}")
        return f"{called_as()} explain {file} --thread {thread}"
    if row["object"] is not None or row["kind"] == "io_wait":
        if row["object"] is None or row["gain_ns"] is None:
            return f"{called_as()} stats {file} --by object --state io"
        return f"{called_as()} whatif {file} --endpoint {quoted(row['object'])}"
    if row["gain_ns"] is not None and row["evidence_table"] == "resources":
        # The short name, as on the card, so that the line fits.
        of = f"--method {quoted(short(row['method']))}"
        return f"{called_as()} whatif {file} --change permits {of}"
    if row["gain_ns"] is not None and row["class"]:
        # The gain of the card is for a lock that no thread has to wait for.
        of = f"--class {quoted(row['class'])} --permits {NOBODY_WAITS}"
        return f"{called_as()} whatif {file} {of}"
    if row["class"]:
        chosen = quoted(row["class"])
        return f"{called_as()} stats {file} --class {chosen} --by thread"
    return f"{called_as()} findings {file}"


def _also(
    section: Section, rows: Sequence[Row], file: str | None, room: int, console: Console
) -> None:
    """Add a line for each other finding that fits."""
    for number, row in enumerate(rows):
        impact = duration(row["impact_ns"]) if row["impact_ns"] else "-"
        fact = Fact(impact, terminal.title_of(row))
        room -= _lines(fact, console)
        left = len(rows) - number
        if room < (left > 1):
            more = f"and {count(left, 'finding')} more"
            if file is not None:
                more += f": {called_as()} findings {file}"
            section.line(more, "dim")
            return
        section.body.append(fact)


def _run(model: Model) -> str:
    """Describe the run in one line."""
    run = model.run
    facts = (
        clean(run.command, 60) if run.command else None,
        clean(run.vm, 60) if run.vm else None,
        duration(model.length_ns) if model.length_ns else "one instant",
        count(len(model.threads()), "thread"),
        count(model.event_count, "event"),
    )
    return ", ".join(fact for fact in facts if fact)


def _notes(section: Section, model: Model, names: str) -> None:
    """Add a line for each caveat that fits, and the command that lists all."""
    notes = []
    if model.caveats:
        notes.append(f"{count(len(model.caveats), 'caveat')} on the data")
    missing = not_looked_for(model)
    if missing:
        kinds = count(len(missing), "group of findings", "groups of findings")
        notes.append(f"{kinds} that the data cannot show")
    everything = f"{called_as()} report {names} --all"
    limits = " and ".join(notes)
    if notes:
        section.line(f"{limits[:1].upper()}{limits[1:]}.", "dim")
    section.line(f"All tables: {everything}", "dim")
