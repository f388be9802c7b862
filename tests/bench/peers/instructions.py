# SPDX-License-Identifier: Apache-2.0
"""Instructions of the hot paths, counted by callgrind: a figure that no other program
on the machine changes. `instructions.json` beside this file has what they were when
somebody last looked, by compiler; `--update` writes it."""

import json
import platform
import re
import sys
from collections import Counter
from pathlib import Path

from fetch import HERE, MissingError, Setting, command

from rounds import Result, Row, Spread, run

NAME = "instructions"
KEPT = HERE / "instructions.json"
TOLERANCE = 0.02
# A program, how much of it, and the functions whose instructions count, with all that
# they call; so many events or intervals pass through each.
PATHS = {
    "model": (50_000, ("tm_model_ingest",)),
    "trace": (20_000, ("tm_source_read", "ingest_events")),
    "answers": (
        4_000,
        ("tm_statistics_list", "tm_path_list", "tm_blame_list", "tm_finding_list"),
    ),
}
# The C library picks its own functions by the processor: the plain ones everywhere.
PLAIN = {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-AVX512F,-AVX512VL,-ERMS,-FSRM"}
NAMED = re.compile(r"c?(?:fn|ob|fi|fe|fl)=\((\d+)\)(?: (.*))?")


def inclusive(profile: Path) -> Counter[str]:
    """Instructions by function of a profile, with those of all that it called."""
    names: dict[str, str] = {}
    found: Counter[str] = Counter()
    called = ""
    in_call = False
    for line in profile.read_text().splitlines():
        if line.startswith(("fn=", "cfn=")):
            matched = NAMED.match(line)
            assert matched is not None, line
            number, name = matched.groups()
            if name:
                names[number] = name.partition("'")[0]
            if line[0] == "c":
                called = names[number]
        elif line.startswith("calls="):
            in_call = True
        elif in_call:
            found[called] += int(line.split()[1])
            in_call = False
    return found


def compiler(setting: Setting) -> str:
    """What the counts depend on, and nothing else is compared."""
    info = json.loads((setting.build / "meson-info/intro-compilers.json").read_text())[
        "host"
    ]["c"]
    options = json.loads(
        (setting.build / "meson-info/intro-buildoptions.json").read_text()
    )
    chosen = {option["name"]: option["value"] for option in options}
    library = " ".join(platform.libc_ver())
    return (
        f"{info['id']} {info['version']}, {library}, {chosen['buildtype']}"
        f"{', LTO' if chosen['b_lto'] else ''}"
    )


def counts(setting: Setting) -> dict[str, int]:
    valgrind = command("valgrind", "valgrind")
    found: dict[str, int] = {}
    for program, (amount, functions) in PATHS.items():
        print(f"  {program}", file=sys.stderr, flush=True)
        profile = setting.folder / f"callgrind.{program}"
        words = [valgrind, "--tool=callgrind", f"--callgrind-out-file={profile}"]
        run([*words, setting.bench(program), amount], **PLAIN)
        totals = inclusive(profile)
        for function in functions:
            found[f"{program}: {function}"] = totals[function]
    return found


def compare(now: dict[str, int], kept: dict[str, int]) -> list[str]:
    """A line for each count that is more than kept, and for each that is missing."""
    wrong = [f"{path}: not counted" for path in kept if not now.get(path)]
    for path, count in now.items():
        before = kept.get(path, 0)
        if count > before * (1 + TOLERANCE):
            share = f"{count / before - 1:+.1%}" if before else "new"
            wrong.append(
                f"{path}: {count:,} instructions, kept are {before:,} ({share})"
            )
    return wrong


def bench(setting: Setting) -> Result:
    result = setting.result
    try:
        now = counts(setting)
    except MissingError as reason:
        setting.skip(str(reason))
        return result
    kept = json.loads(KEPT.read_text()) if KEPT.exists() else {}
    name = compiler(setting)
    if setting.update:
        kept[name] = now
        KEPT.write_text(json.dumps(kept, indent=2, sort_keys=True) + "\n")
    if name in kept:
        result.wrong += compare(now, kept[name])
    else:
        setting.skip(f"comparison: no counts are kept of {name}")
    for path, count in now.items():
        row = Row("hot paths", path)
        row.figures["instructions"] = Spread(count, count, count)
        result.rows.append(row)
    return result
