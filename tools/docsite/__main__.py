# SPDX-License-Identifier: Apache-2.0
"""Make the site in a folder; ./dev docs calls this."""

import argparse
import sys
from pathlib import Path

from sphinx.cmd.build import build_main

from docsite.pictures import photograph_all
from docsite.stage import stage


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m docsite", description=__doc__)
    parser.add_argument("folder", type=Path, help="the site is in html/ of it")
    parser.add_argument("--pictures", action="store_true", help="only take pictures")
    options = parser.parse_args()
    if options.pictures:
        photograph_all()
        return 0
    folder = options.folder
    stage(folder / "pages")
    # -W: what it would warn of, a link that leads nowhere for one, is an error.
    status: int = build_main(
        ["-W", "--keep-going", "-q", "-b", "html", "-j", "auto"]
        + ["-c", str(Path(__file__).parent), "-d", str(folder / "doctrees")]
        + [str(folder / "pages"), str(folder / "html")]
    )
    return status


if __name__ == "__main__":
    sys.exit(main())
