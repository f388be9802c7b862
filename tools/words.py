# SPDX-License-Identifier: Apache-2.0
"""Words that texts and identifiers avoid, by tests/words/words.toml.

A word that is marked as dialect may stand in the files of tests/words/unwritten.txt,
whose English is still to be rewritten. That list may only become shorter;
`python tools/words.py` takes the files out that are rewritten.
"""

import re
import subprocess
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "tests/words"
DESCRIPTION = tomllib.loads((FOLDER / "words.toml").read_text())
WORDS: list[dict[str, Any]] = DESCRIPTION["words"]
DIALECT = [word for word in WORDS if word.get("dialect")]
SOURCES = (".c", ".h")


def pattern(word: str) -> re.Pattern[str]:
    """Return what finds a word, also as a part of an identifier."""
    return re.compile(rf"(?<![a-zA-Z])(?:{word})(?![a-zA-Z])", re.IGNORECASE)


def key(name: str) -> str:
    """Return how the list of unwritten files names a file.

    No two sources in C have the same name, so they may move to another folder.
    """
    return Path(name).name if name.endswith(SOURCES) else name


def rewritten() -> set[str]:
    """Return the keys in the list of files that have no dialect any more."""
    found = {key(name) for word in DIALECT for name in places(word)}
    return unwritten() - found


def unwritten() -> set[str]:
    """Return the keys of the files in which dialect may still stand."""
    lines = (FOLDER / "unwritten.txt").read_text().splitlines()
    return {line for line in lines if line and not line.startswith("#")}


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


def main() -> None:
    """Take the files out of the list that are rewritten."""
    gone = rewritten()
    path = FOLDER / "unwritten.txt"
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(it for it in lines if it.rstrip("\n") not in gone))


if __name__ == "__main__":
    main()
