# SPDX-License-Identifier: Apache-2.0
"""Bundle the front end; called by the build.

The packages that it is made of are installed once, next to their list, as editors
expect them, and again when package-lock.json changes. Two builds may run at a time.
"""

import argparse
import fcntl
import hashlib
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
# A registry that cannot be reached is tried again, but not for minutes.
FETCH = ["--fetch-retries=2", "--fetch-retry-mintimeout=1000"]
FETCH += ["--fetch-retry-maxtimeout=5000"]
WITHOUT = (
    "could not fetch the packages of the HTML report (npm ci); to build without it: "
    "-Dreport=disabled for meson, -Csetup-args=-Dreport=disabled for pip"
)


def install(npm: str) -> None:
    """Bring node_modules up to what the lock file says."""
    stamp = HERE / "node_modules" / ".stamp"
    wanted = hashlib.sha256((HERE / "package-lock.json").read_bytes()).hexdigest()
    with open(HERE / "package-lock.json", "rb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if stamp.is_file() and stamp.read_text() == wanted:
            return
        done = subprocess.run(
            [npm, "ci", "--no-progress", "--loglevel=error", *FETCH],
            cwd=HERE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            text=True,
            check=False,
        )
        if done.returncode:
            sys.exit(f"{done.stdout}\n{WITHOUT}")
        stamp.write_text(wanted)


def main() -> None:
    """Install what is missing and write the bundle."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--npm", required=True)
    parser.add_argument("--node", required=True)
    parser.add_argument("--depfile", type=Path, required=True)
    parser.add_argument("--output", type=Path, required=True)
    options = parser.parse_args()
    install(options.npm)
    subprocess.run(
        [options.node, HERE / "bundle.mjs", options.output.resolve()], check=True
    )
    # A new file is seen because its folder's time changes.
    sources = sorted((HERE / "src").rglob("*"))
    names = " ".join(str(path).replace(" ", "\\ ") for path in [HERE / "src", *sources])
    options.depfile.write_text(f"{options.output / 'report.js'}: {names}\n")


if __name__ == "__main__":
    main()
