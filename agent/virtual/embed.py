# SPDX-License-Identifier: Apache-2.0
"""Compile what virtual threads call, and write its class as a C array.

    embed.py JAVAC FOLDER HEADER

What it calls is internal to newer JDKs than the one that compiles it may be:
what is in FOLDER/stubs stands in for it, and is not kept.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

NAME = "java/lang/ThreadmodelVirtual"
PER_LINE = 12


def main() -> None:
    javac, sources, header = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            [
                javac,
                *("-source", "11", "-target", "11", "-nowarn", "-Xlint:-options"),
                *("--patch-module", f"java.base={sources}/source:{sources}/stubs"),
                *("-g:source,lines", "-implicit:none", "-d", folder),
                f"{sources}/source/{NAME}.java",
            ],
            check=True,
        )
        data = (Path(folder) / f"{NAME}.class").read_bytes()
    lines = [
        "    " + " ".join(f"{byte:#04x}," for byte in data[at : at + PER_LINE])
        for at in range(0, len(data), PER_LINE)
    ]
    text = "\n".join(
        [
            "/* SPDX-License-Identifier: Apache-2.0 */",
            f"/* {NAME}, by embed.py. */",
            "static const unsigned char virtual_class[] = {",
            *lines,
            "};",
            "",
        ]
    )
    Path(header).write_text(text)


if __name__ == "__main__":
    main()
