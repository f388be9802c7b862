# SPDX-License-Identifier: Apache-2.0
"""Measure threadmodel beside its peers: `./dev bench peers`.

Peers come from their registries when they are asked for: async-profiler and JMC from
Maven Central, babeltrace2 from Debian, DuckDB and pandas from PyPI; the JDKs are those
of this machine. One that is missing is skipped by name.
"""

import argparse
import dataclasses
import json
import sys
import tempfile
import types
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import instructions
import machine
import overhead
import pairs
import reading
import size
import start
import tables
from fetch import ROOT, Setting

import answers
import report

GROUPS: dict[str, types.ModuleType] = {
    module.NAME: module
    for module in (
        overhead,
        pairs,
        reading,
        answers,
        report,
        size,
        start,
        instructions,
    )
}
ROUNDS = 5
RELEASES = (17, 21, 25)
PAGE = ROOT / "tests/bench/peers/figures.md"


def main() -> int:
    parser = argparse.ArgumentParser(prog="./dev bench peers", description=__doc__)
    add = parser.add_argument
    add("groups", nargs="*", metavar="GROUP", help=f"of {', '.join(GROUPS)}; or all")
    add("--rounds", type=int, default=ROUNDS, help="how often each has its turn (5)")
    add("--jdk", type=int, action="append", help="only this release (17, 21, 25)")
    add("--program", action="append", help="only this one, of overhead and pairs")
    add("--small", action="store_true", help="once, of little, and nothing is fetched")
    add("--build", type=Path, default=ROOT / "build-release", help="what is measured")
    add("--json", type=Path, help="where the figures go (BUILD/peers.json)")
    add("--page", action="store_true", help=f"tables into {PAGE.relative_to(ROOT)}")
    add("--update", action="store_true", help="keep the counts of instructions")
    options = parser.parse_args()
    unknown = [name for name in options.groups if name not in GROUPS]
    if unknown:
        parser.error(f"no group {unknown[0]!r}: {' '.join(GROUPS)}")
    build = options.build.resolve()
    sys.path.insert(0, str(build / "bindings/python"))
    file = options.json or build / "peers.json"
    found = {"machine": machine.facts(), "rounds": options.rounds, "groups": {}}
    wrong = 0
    for name in options.groups or GROUPS:
        print(name, file=sys.stderr, flush=True)
        with tempfile.TemporaryDirectory() as folder:
            setting = Setting(
                Path(folder),
                build,
                1 if options.small else options.rounds,
                options.small,
                options.update,
                tuple(options.jdk or RELEASES),
                tuple(options.program or ()),
            )
            # In a process of its own: a command inherits the memory of its parent's
            # in what the kernel says it took.
            with ProcessPoolExecutor(1, mp_context=get_context("fork")) as own:
                result = own.submit(GROUPS[name].bench, setting).result()
        found["groups"][name] = dataclasses.asdict(result)
        text = tables.table(result)
        print(f"## {name}\n\n{text}", flush=True)
        for line in result.wrong:
            print(f"{name}: {line}", file=sys.stderr)
        wrong += len(result.wrong)
        # After each group: what takes hours may be stopped.
        file.write_text(json.dumps(found, indent=1) + "\n")
        if options.page:
            tables.write(PAGE, name, machine.sentence(found["machine"]), text)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
