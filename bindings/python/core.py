# SPDX-License-Identifier: Apache-2.0
"""Write the C source of ``threadmodel._core`` from the public headers.

The C compiler preprocesses the umbrella header; what stems from our own headers
is, without the attributes, the declaration text that CFFI takes; so it is with what
the package itself has in C. So a function that a header declares is in Python, and none
can drift.
"""

import argparse
import re
import subprocess
from pathlib import Path

import cffi

HERE = Path(__file__).resolve().parent
UMBRELLA = (
    '#include <threadmodel/threadmodel.h>\n#include "relay.h"\n#include "threads.h"\n'
)
# What Python implements, to be called from C.
CALLBACKS = """
extern "Python" int threadmodel_write(void *payload, const char *bytes, size_t count);
"""
LINE_MARKER = re.compile(r'# \d+ "([^"]*)"')
ATTRIBUTE = re.compile(r"__attribute__\s*\(\([^()]*(?:\([^()]*\))?[^()]*\)\)")
NUMBER = re.compile(r"#define (\w+) (-?(?:0x[0-9a-fA-F]+|\d+))$")


def preprocess(compiler: list[str], include: Path) -> str:
    """Return the umbrella header with includes resolved and macros expanded."""
    return subprocess.run(
        [*compiler, "-E", "-dD", "-std=c11", f"-I{include}", f"-I{HERE}", "-xc", "-"],
        input=UMBRELLA,
        stdout=subprocess.PIPE,
        check=True,
        text=True,
    ).stdout


def declarations(preprocessed: str, include: Path) -> tuple[str, list[str]]:
    """Pick what our own headers declare.

    Returns the text for ``FFI.cdef()`` and the headers that it came from.
    """
    lines: list[str] = []
    headers: dict[str, None] = {}
    ours = False
    for line in preprocessed.splitlines():
        if marker := LINE_MARKER.match(line):
            path = Path(marker[1])
            ours = include in path.parents or path.parent == HERE
            if ours:
                headers[str(path)] = None
        elif ours and line.startswith("#"):
            if number := NUMBER.match(line):
                lines.append(f"#define {number[1]} {number[2]}")
        elif ours and line.strip():
            lines.append(ATTRIBUTE.sub("", line))
    return "\n".join(lines) + "\n", list(headers)


def main() -> None:
    """Generate the source file named on the command line."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--include", type=Path, required=True)
    parser.add_argument("--depfile", type=Path, required=True)
    parser.add_argument("output", type=Path)
    parser.add_argument("compiler", nargs="+")
    options = parser.parse_args()

    text, headers = declarations(
        preprocess(options.compiler, options.include), options.include
    )
    ffi = cffi.FFI()
    ffi.cdef(text + CALLBACKS)
    ffi.set_source("threadmodel._core", UMBRELLA)
    ffi.emit_c_code(str(options.output))
    options.depfile.write_text(f"{options.output}: {' '.join(headers)}\n")


if __name__ == "__main__":
    main()
