# SPDX-License-Identifier: Apache-2.0
"""Compile a class of ours, and write it as a C array.

    embed.py JAVAC FOLDER CLASS ARRAY HEADER

Where it calls what is internal to newer JDKs than the one that compiles it may be,
what is in FOLDER/stubs stands in for that, and is not kept.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

PER_LINE = 12


def main() -> None:
    """Compile, and write the header."""
    javac, sources, name, array, header = sys.argv[1:]
    patched = []
    if Path(sources, "stubs").is_dir():
        patched = ["--patch-module", f"java.base={sources}/source:{sources}/stubs"]
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            [
                javac,
                *("-source", "11", "-target", "11", "-nowarn", "-Xlint:-options"),
                *patched,
                *("-g:source,lines", "-implicit:none", "-d", folder),
                f"{sources}/source/{name}.java",
            ],
            check=True,
        )
        data = (Path(folder) / f"{name}.class").read_bytes()
    lines = [
        "    " + " ".join(f"{byte:#04x}," for byte in data[at : at + PER_LINE])
        for at in range(0, len(data), PER_LINE)
    ]
    text = "\n".join(
        [
            "/* SPDX-License-Identifier: Apache-2.0 */",
            f"/* {name}, by embed.py. */",
            f"static const unsigned char {array}[] = {{",
            *lines,
            "};",
            "",
        ]
    )
    Path(header).write_text(text)


if __name__ == "__main__":
    main()
