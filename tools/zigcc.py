# SPDX-License-Identifier: Apache-2.0
"""Call zig's C compiler: `python zigcc.py ARGUMENT...`.

Its linker has no --exclude-libs: a map of the symbols to show does the same.
"""

import os
import sys
from pathlib import Path

import ziglang

ZIG = Path(ziglang.__file__).with_name("zig")
EXCLUDE = "-Wl,--exclude-libs,ALL"
INSTEAD = f"-Wl,--version-script={Path(__file__).with_name('exports.map')}"


def main() -> None:
    """Become the compiler."""
    arguments = [INSTEAD if it == EXCLUDE else it for it in sys.argv[1:]]
    os.execv(ZIG, [str(ZIG), "cc", *arguments])


if __name__ == "__main__":
    main()
