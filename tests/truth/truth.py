# SPDX-License-Identifier: Apache-2.0
"""Which causes the library names, of programs that know them.

    ./dev bench truth [--test-args "ROW..."]
    python tests/truth/truth.py [--agent FILE] [ROW...]

Rows: releasers, holders, storms, free, virtual, readers, paths, deadlocks. A program
writes down itself who had a lock when, which work its end waited for, and when a
deadlock closed, and is recorded meanwhile. Of all that it knows, a line shows how much
the library answered, rightly or not. A goal that is missed ends in a star; that is no
failure.
"""

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "jvm")]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--agent", type=Path, help="in place of that in build/")
    parser.add_argument("--jdk", type=int, help="this release alone")
    parser.add_argument(
        "--keep", action="store_true", help="print later runs beside this one"
    )
    parser.add_argument("rows", nargs="*", metavar="ROW")
    options = parser.parse_args()
    if options.agent:
        os.environ["TM_TEST_AGENT"] = str(options.agent.resolve())
    from jdks import JDKS
    from rows import ROWS
    from runs import Workshop
    from table import keep, text

    unknown = [row for row in options.rows if row not in ROWS]
    if unknown:
        parser.error(f"no row {unknown[0]!r}: {', '.join(ROWS)}")
    lines = []
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        shops = [
            Workshop(jdk, Path(folder))
            for jdk in JDKS
            if options.jdk in (None, jdk.release)
        ]
        for row in options.rows or ROWS:
            for shop in shops:
                for line in ROWS[row](shop):
                    lines.append(line)
                    print(".", end="", file=sys.stderr, flush=True)
    print(f" {time.monotonic() - began:.0f} s", file=sys.stderr)
    if options.keep:
        keep(lines)
    print(text(lines))


if __name__ == "__main__":
    main()
