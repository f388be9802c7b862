# SPDX-License-Identifier: Apache-2.0
"""Call zig's C compiler: `python zigcc.py ARGUMENT...`.

Its linker has no --exclude-libs: a map of the symbols to show does the same.
"""

import os
import sys
from pathlib import Path

EXCLUDE = "-Wl,--exclude-libs,ALL"
INSTEAD = f"-Wl,--version-script={Path(__file__).with_name('exports.map')}"


def zig() -> Path:
    """Return the program of the package ziglang."""
    import ziglang

    return Path(ziglang.__file__).with_name("zig")


def main() -> None:
    """Become the compiler."""
    arguments = [INSTEAD if it == EXCLUDE else it for it in sys.argv[1:]]
    os.execv(zig(), [str(zig()), "cc", *arguments])


if __name__ == "__main__":
    main()
