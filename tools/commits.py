# SPDX-License-Identifier: Apache-2.0
"""The subject of each commit: `area: what changes`, in plain English, not too long.

The rule holds for commits after the one that added this file.
"""

import re
import sys

from words import DIALECT, ROOT, git, pattern

LONGEST = 72
FORM = re.compile(r"[a-z0-9.][a-z0-9_./, +-]*: \S")
# Commits that are wrong and stay: hashes, as history is not rewritten.
ACCEPTED = frozenset(
    {
        "68bfc75dbbfebf61ec4e38088677d1f2f18d344d",
        "3ef9823bfebd0d8d21e4b0df1475bffc6f05bc49",
        "442ecc7f2b902bbf13bb4aeadaca31846522cd1c",
        "5e17b57b707bc42fb007cd581f08210ad2ac8b87",
        "c2ffc31674ee3122d03adc174cd3ab2a584a62ea",
        "2d8031c8c8f1060484fffbbb8634112c75125ae7",
        "4af51dca32715c3de607d36c96f43f3cfcc71cd4",
        "ab6847a66be3f076e6f44bfa3c1d02fc4a644967",
    }
)


def fault(subject: str) -> str | None:
    """Return what is wrong with a subject; None: nothing."""
    if len(subject) > LONGEST:
        return f"{len(subject)} characters, more than {LONGEST}"
    if not FORM.match(subject):
        return "not of the form `area: what changes`, with a lower-case area"
    if subject.endswith("."):
        return "ends with a full stop"
    for word in DIALECT:
        if match := pattern(word["word"]).search(subject):
            return f"{match[0].strip()!r}; write: {word['say']}"
    return None


def faults() -> list[str]:
    """Return a line for each commit since the rule whose subject breaks it."""
    if not (ROOT / ".git").exists():
        return []
    added = ["log", "--diff-filter=A", "--format=%H", "--", "tools/commits.py"]
    rule = git(*added).split()
    if not rule:
        return []
    since = git("log", "--no-merges", "--format=%H %s", f"{rule[-1]}..HEAD")
    found = []
    for line in since.splitlines():
        commit, _, subject = line.partition(" ")
        wrong = fault(subject)
        if wrong and commit not in ACCEPTED:
            found.append(f"{commit[:12]} {subject!r}: {wrong}")
    return found


if __name__ == "__main__":
    sys.exit("\n".join(faults()) or 0)
