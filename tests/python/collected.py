# SPDX-License-Identifier: Apache-2.0
"""Files that a collector writes, for tests."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any


def until(is_so: Callable[[], Any]) -> Any:
    for _ in range(600):
        if found := is_so():
            return found
        time.sleep(0.05)
    raise AssertionError("it never came")


def files(folder: Path) -> list[Path]:
    return sorted(folder.glob("*/*.tmt"))
