# SPDX-License-Identifier: Apache-2.0
"""Write what comes from the description; ./dev describe calls this."""

import sys

from describe import ROOT
from describe.outputs import outputs, sources


def main() -> int:
    if sys.argv[1:] not in ([], ["sources"]):
        sys.exit("usage: python -m describe [sources]")
    for path, text in sources() if sys.argv[1:] else outputs():
        if not path.exists() or path.read_text() != text:
            path.write_text(text)
            print(path.relative_to(ROOT))
    return 0


if __name__ == "__main__":
    sys.exit(main())
