# SPDX-License-Identifier: Apache-2.0
"""Write a compiled class as a C array: embed.py JAVAC SOURCE CLASS HEADER."""

import subprocess
import sys
import tempfile
from pathlib import Path


def main() -> None:
    javac, source, name, header = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            [javac, "-g:none", "--release", "11", "-d", folder, source], check=True
        )
        code = (Path(folder) / f"{name}.class").read_bytes()
    lines = [
        ", ".join(str(byte) for byte in code[i : i + 16])
        for i in range(0, len(code), 16)
    ]
    array = ",\n    ".join(lines)
    Path(header).write_text(
        f"static const unsigned char probe_class[] = {{\n    {array},\n}};\n"
    )


main()
