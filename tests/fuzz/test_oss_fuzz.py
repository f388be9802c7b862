# SPDX-License-Identifier: Apache-2.0
"""The script of .clusterfuzzlite, which OSS-Fuzz would run as well, is run to its end,
and each target runs its seeds."""

import os
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD_S = 3000
TARGET_S = 300
NEEDED = ("clang", "zip")
# What both set for libFuzzer and the address sanitizer.
VARIABLES = {
    "CC": "clang",
    "CFLAGS": "-O1 -fsanitize=address,fuzzer-no-link",
    "LIB_FUZZING_ENGINE": "-fsanitize=fuzzer",
}


@pytest.mark.skipif(
    "TM_TEST_FULL" not in os.environ, reason="a build of its own: --full"
)
def test_every_target_is_built_with_its_seeds_and_runs(tmp_path: Path):
    missing = [tool for tool in NEEDED if shutil.which(tool) is None]
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)}")
    folders = {name: tmp_path / name.lower() for name in ("SRC", "OUT", "WORK")}
    for folder in folders.values():
        folder.mkdir()
    (folders["SRC"] / "threadmodel").symlink_to(ROOT)
    done = subprocess.run(
        ["bash", "-eu", ROOT / ".clusterfuzzlite/build.sh"],
        check=False,
        capture_output=True,
        text=True,
        timeout=BUILD_S,
        env={**os.environ, **VARIABLES, **{k: str(v) for k, v in folders.items()}},
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    targets = {path.stem for path in (ROOT / "tests/fuzz").glob("fuzz_*.c")}
    assert targets
    for name in targets:
        seeds = tmp_path / name
        with zipfile.ZipFile(folders["OUT"] / f"{name}_seed_corpus.zip") as corpus:
            corpus.extractall(seeds)
        ran = subprocess.run(
            [folders["OUT"] / name, "-runs=200", seeds],
            check=False,
            capture_output=True,
            text=True,
            timeout=TARGET_S,
        )
        assert ran.returncode == 0, f"{name}: {ran.stderr[-4000:]}"
