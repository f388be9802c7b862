# SPDX-License-Identifier: Apache-2.0
"""The binary interface as text, a promise a line, to be compared with the next one.

    function tm_version THREADMODEL_0.1 int (void)
    field tm_event.thread at 8 uint64_t
    size tm_event 48
    enum TM_EVENT_NOTIFY 8

Symbols' debug information would not do in its place: enums travel as int, so their
values, which producers write into files, appear in no function's type.

`./dev abi-update` runs this file to accept what the headers promise anew.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

from describe.headers import INCLUDE, Api, map_nodes, read_api

DUMP = Path(__file__).resolve().parent / "threadmodel.abi"
RELEASES = DUMP.parent / "releases"
HEAD = """\
# SPDX-License-Identifier: Apache-2.0
# What programs compiled against the headers rely on, on LP64; made by ./dev abi-update.
"""


def probe_source(api: Api) -> str:
    """A C program that prints what only the compiler knows: layouts and values."""
    lines = ["#include <stdio.h>", "#include <threadmodel/threadmodel.h>"]
    lines.append("int main(void) {")
    for name, struct in api.structs.items():
        of = struct.spelling
        lines.append(f'printf("size {name} %zu\\n", sizeof({of}));')
        for field, kind in struct.fields.items():
            at = f"offsetof({of}, {field})"
            lines.append(f'printf("field {name}.{field} at %zu {kind}\\n", {at});')
    for names in api.enums.values():
        lines += [f'printf("enum {name} %d\\n", (int){name});' for name in names]
    return "\n".join([*lines, "return 0; }"])


def current() -> set[str]:
    """What the headers and the symbol map of this tree promise."""
    api = read_api()
    nodes = map_nodes()
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "probe"
        subprocess.run(
            ["gcc", "-std=c11", "-I", INCLUDE, "-x", "c", "-", "-o", program],
            input=probe_source(api),
            text=True,
            check=True,
        )
        lines = set(subprocess.check_output([program], text=True).splitlines())
    lines |= {f"function {f} {nodes.get(f, '-')} {t}" for f, t in api.functions.items()}
    lines |= {f"callback {name} {text}" for name, text in api.callbacks.items()}
    return lines


def accepted() -> set[str]:
    """Return the declarations that were promised before."""
    lines = DUMP.read_text().splitlines() if DUMP.exists() else []
    return {line for line in lines if not line.startswith("#")}


def may_grow(line: str, promised: set[str]) -> bool:
    """Whether a larger number in this line breaks nobody: the size of a struct that
    carries its size, and the end marks of enums."""
    kind, name = line.split()[:2]
    if kind == "size":
        return f"field {name}.size at 0 size_t" in promised
    return kind == "enum" and name.endswith("_END")


def compare(old: set[str], new: set[str]) -> tuple[list[str], list[str]]:
    """Return broken and added declarations, as lines of the old and the new text."""
    numbers = {tuple(line.split()[:2]): line.split()[-1] for line in new}
    broken = []
    for line in sorted(old - new):
        kind, name, *_, number = line.split()
        now = numbers.get((kind, name))
        if not (now and may_grow(line, old) and int(now) > int(number)):
            broken.append(line)
    return broken, sorted(new - old)


def update(breaking: bool) -> int:
    broken, added = compare(accepted(), current())
    if broken and not breaking:
        print("\n".join(f"broken: {line}" for line in broken), file=sys.stderr)
        return 1
    DUMP.write_text(HEAD + "".join(f"{line}\n" for line in sorted(current())))
    if breaking:
        # The release that is to come promises what this tree does.
        newest = max(RELEASES.glob("*.abi"))
        newest.write_text(DUMP.read_text())
    print("\n".join([f"- {line}" for line in broken] + [f"+ {line}" for line in added]))
    return 0


if __name__ == "__main__":
    if sys.argv[1:] not in (["update"], ["update", "--break"]):
        sys.exit("usage: abi.py update [--break]")
    sys.exit(update("--break" in sys.argv))
