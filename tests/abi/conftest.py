# SPDX-License-Identifier: Apache-2.0
"""What the tests of the built library share."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def build() -> Path:
    """The build folder of the library under test."""
    folder = Path(os.environ.get("THREADMODEL_BUILD", ROOT / "build"))
    assert (folder / "build.ninja").exists(), f"{folder} is not built: ./dev build"
    return folder
