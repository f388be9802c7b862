# SPDX-License-Identifier: Apache-2.0
"""``threadmodel info``: format, producer, events and caveats of a file."""

import json
from typing import Any, Final

import click

from threadmodel import _library
from threadmodel.cli import terminal
from threadmodel.cli.asking import open_run, report_damage
from threadmodel.cli.export import run_facts
from threadmodel.cli.files import INPUT, FileCommand
from threadmodel.cli.progress import LateProgress
from threadmodel.cli.reading import reading_options
from threadmodel.cli.report import print_sections
from threadmodel.event import EventKind
from threadmodel.judgement import judge
from threadmodel.model import Model
from threadmodel.text import duration

# Facts that are only for programs.
HIDDEN: Final = ("start_wall_ns", "cost", "memory_bytes")


@click.command(
    cls=FileCommand, short_help="Show what a file is and what it cannot show."
)
@click.argument("file", metavar="FILE", type=INPUT)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@reading_options
@click.pass_context
def info(context: click.Context, /, as_json: bool, **_: object) -> None:
    """Show the format of FILE, its producer, its kinds of events and its caveats.

    - reads from stdin. A library that was built without zstd, expat or yajl names them.

    \b
    threadmodel info run.tmt
    threadmodel info recording.jfr --json
    """

    with LateProgress() as progress:
        model = open_run(context, progress)
        facts = _facts(model)
    if as_json:
        click.echo(json.dumps(facts))
    else:
        print_sections([_section(facts)], None)
    report_damage(context, model.damage)


def _section(facts: dict[str, Any]) -> terminal.Section:
    section = terminal.Section("File")
    for name, value in facts.items():
        if name == "kinds":
            section.fact("kinds", ", ".join(value))
        elif name == "caveats":
            for caveat in value:
                section.fact("caveat", caveat, "yellow")
        elif name == "verdict":
            section.fact("verdict", value["title"])
        elif name in ("length_ns", "threshold_ns"):
            section.fact(name.removesuffix("_ns"), duration(value) if value else "")
        elif name in ("threads", "events"):
            section.fact(name, f"{value:,}")
        elif name == "library_lacks":
            if value:
                section.fact("library", f"built without {', '.join(value)}", "yellow")
        elif name not in HIDDEN and value is not None:
            section.fact(name, str(value))
    return section


def _kind(number: int) -> str:
    """Return the name of a kind; of one that a newer producer has, its number."""
    known = {kind.value: kind.name.lower() for kind in EventKind}
    return known.get(number, str(number))


def _facts(model: Model) -> dict[str, Any]:
    kinds = sorted(_kind(kind) for kind in model.run.kinds)
    facts = run_facts(model)
    caveats = facts.pop("caveats")
    return {
        **facts,
        "threads": len(model.threads()),
        "events": model.event_count,
        "memory_bytes": model.memory_bytes,
        "kinds": kinds,
        "damage": model.damage,
        "library_lacks": (_library.text(_library.lib.tm_build_lacks()) or "").split(),
        "caveats": caveats,
        "verdict": judge(model),
    }
