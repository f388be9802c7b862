# SPDX-License-Identifier: Apache-2.0
"""Words that texts and identifiers avoid, by tests/words/words.toml."""

import re
import subprocess
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
DESCRIPTION = tomllib.loads((ROOT / "tests/words/words.toml").read_text())
WORDS: list[dict[str, Any]] = DESCRIPTION["words"]
DIALECT = [word for word in WORDS if word.get("dialect")]


def pattern(word: str) -> re.Pattern[str]:
    """Return what finds a word, also as a part of an identifier."""
    return re.compile(rf"(?<![a-zA-Z])(?:{word})(?![a-zA-Z])", re.IGNORECASE)


def git(*arguments: str) -> str:
    """Return what a git command prints."""
    command = ["git", "-C", str(ROOT), *arguments]
    done = subprocess.run(command, capture_output=True, check=False)
    # The status of `git grep` is 1 where nothing matches.
    if done.returncode > 1:
        raise RuntimeError(done.stderr.decode(errors="replace"))
    return done.stdout.decode(errors="replace")


def places(word: dict[str, Any]) -> dict[str, list[str]]:
    """Return, by file, where a word stands and what to write instead."""
    sought = pattern(word["word"])
    without = [*DESCRIPTION["skip"], *word.get("allowed", [])]
    files = ["--", ".", *(f":!{one}" for one in without)]
    stands = [
        (name, f"{name}: its name")
        for name in git("ls-files", "-z", *files).split("\0")
        if sought.search(name)
    ]
    options = ["-zn", "-I", "--perl-regexp", "--ignore-case"]
    for line in git("grep", *options, "-e", sought.pattern, *files).splitlines():
        name, number, text = line.split("\0", 2)
        match = sought.search(text)
        said = match[0] if match else text
        stands.append((name, f"{name}:{number}: {said.strip()!r}"))
    found: dict[str, list[str]] = {}
    for name, stand in stands:
        found.setdefault(name, []).append(f"{stand}; write: {word['say']}")
    return found
