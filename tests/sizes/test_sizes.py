# SPDX-License-Identifier: Apache-2.0
"""Nothing that people download grows beyond its budget unnoticed."""

import os
import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("THREADMODEL_BUILD", ROOT / "build"))
BUDGET = tomllib.loads((Path(__file__).parent / "budget.toml").read_text())


def size(path: Path, folder: Path) -> int:
    """Return the bytes of a file; of a library without symbols."""
    if path.suffix == ".so":
        copy = folder / path.name
        subprocess.run(["strip", "-o", copy, path.resolve()], check=True)
        return copy.stat().st_size
    return path.stat().st_size


@pytest.mark.parametrize("name", BUDGET["built"])
def test_what_is_built_is_within_its_budget(name: str, tmp_path: Path) -> None:
    path = BUILD / name
    if not path.exists():
        pytest.skip(f"this build has no {name}")
    assert size(path, tmp_path) <= BUDGET["built"][name]


@pytest.mark.parametrize("pattern", BUDGET["published"])
def test_what_is_published_is_within_its_budget(pattern: str, tmp_path: Path) -> None:
    found = sorted((ROOT / "dist").glob(pattern))
    if not found:
        pytest.skip(f"./dev dist has not built {pattern}")
    for path in found:
        assert size(path, tmp_path) <= BUDGET["published"][pattern]
