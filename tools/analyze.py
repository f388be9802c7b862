# SPDX-License-Identifier: Apache-2.0
"""Analyze all C of the library and the agent, by gcc's -fanalyzer and by clang-tidy.

False findings are in tests/analyze/triaged.toml, with the reason. A finding that is
not there fails, and so does a line there whose finding is gone.
"""

import json
import os
import re
import shlex
import shutil
import subprocess
import tomllib
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build"
TRIAGED = ROOT / "tests/analyze/triaged.toml"
FOLDERS = ("libthreadmodel", "agent")
# "file.c:12:3: warning: text [CWE-1] [-Wanalyzer-leak]", and clang-tidy's [a-check].
FINDING = re.compile(r"^(\S+?):(\d+):\d+: warning: (.*?) \[-?(?:W)?([\w.,-]+)\]$")
# What gcc does not come to the end of in a quarter of an hour: it follows the hashing
# of uthash byte by byte, through each caller. There it follows fewer paths.
FEWER_PATHS = {
    "agent/native/inspect/dump_definitions.c",
    "agent/native/recorder/stack_definitions.c",
}
LEFT_OUT = {"-MD", "-c"}
LEFT_OUT_WITH_VALUE = {"-o", "-MF", "-MQ"}

# File and check, and how often that is found in there.
Findings = Counter[tuple[str, str]]


def commands() -> dict[str, list[str]]:
    """How each source of ours is compiled, by its path in the tree."""
    found: dict[str, list[str]] = {}
    for entry in json.loads((BUILD / "compile_commands.json").read_text()):
        path = (Path(entry["directory"]) / entry["file"]).resolve()
        if path.suffix != ".c" or not path.is_relative_to(ROOT):
            continue
        name = str(path.relative_to(ROOT))
        if not name.startswith(tuple(f"{folder}/" for folder in FOLDERS)):
            continue
        words = iter(shlex.split(entry["command"]))
        kept = []
        for word in words:
            if word in LEFT_OUT_WITH_VALUE:
                next(words)
            elif word not in LEFT_OUT and Path(word).name != "ccache":
                kept.append(word)
        found.setdefault(name, kept)
    return found


def _read(text: str) -> set[tuple[str, str, str]]:
    """File, check and the finding itself, of each in what a tool wrote."""
    found = set()
    for line in text.splitlines():
        match = FINDING.match(line)
        path = (BUILD / match[1]).resolve() if match else ROOT.parent
        if match and path.is_relative_to(ROOT):
            file = str(path.relative_to(ROOT))
            found.add((file, match[4], f"{file}:{match[2]}: {match[3]} [{match[4]}]"))
    return found


def _gcc(name: str, command: list[str]) -> str:
    more = [
        "-fanalyzer",
        "-fdiagnostics-plain-output",
        "-fdiagnostics-path-format=none",
    ]
    if name in FEWER_PATHS:
        more.append("--param=analyzer-max-enodes-per-program-point=3")
    done = subprocess.run(
        [*command, *more, "-O1", "-c", "-o", os.devnull],
        check=False,
        cwd=BUILD,
        capture_output=True,
        text=True,
    )
    return done.stderr


def _tidy(name: str) -> str:
    done = subprocess.run(
        ["clang-tidy", "-p", str(BUILD), "--quiet", str(ROOT / name)],
        check=False,
        cwd=BUILD,
        capture_output=True,
        text=True,
    )
    return done.stdout


def find() -> set[tuple[str, str, str]]:
    """What the tools find in all files; in a header once, wherever it is included."""
    sources = commands()
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        texts = list(pool.map(_gcc, sources, sources.values()))
        if shutil.which("clang-tidy"):
            texts += pool.map(_tidy, sources)
    return {finding for text in texts for finding in _read(text)}


def triaged() -> Findings:
    """ "file.c * 2" is two findings."""
    known: Findings = Counter()
    for entry in tomllib.loads(TRIAGED.read_text())["triaged"]:
        assert entry["why"].strip(), entry["check"]
        for text in entry["files"]:
            file, _, count = text.partition(" * ")
            known[file, entry["check"]] += int(count or 1)
    return known


def judge() -> tuple[int, list[str]]:
    """Hold findings against the list.

    Returns: how many are known, and a line for each that is not, or is gone
    """
    lines = sorted(find())
    found = Counter((file, check) for file, check, _ in lines)
    known = triaged()
    wrong = []
    for key in sorted(found | known):
        if found[key] > known[key]:
            wrong += [text for *of, text in lines if tuple(of) == key]
        elif found[key] < known[key] and (
            # Without clang-tidy its findings are not looked for.
            key[1].startswith("analyzer-") or shutil.which("clang-tidy")
        ):
            wrong.append(f"{key[0]}: {key[1]} is gone: drop it from {TRIAGED}")
    return sum(found.values()), wrong
