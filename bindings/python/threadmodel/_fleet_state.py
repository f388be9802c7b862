# SPDX-License-Identifier: Apache-2.0
"""Checks of the state of a dataset of runs, as its file states it."""

import re
from typing import Any, Final

_PART: Final = re.compile(r"part-\d{6,}")


def wrong_in(state: dict[str, Any]) -> str:
    """Return the first invalid field of a dataset's state."""
    version, parts = state["version"], state.get("parts")
    files, replaced = state.get("files"), state.get("replaced")
    if type(version) is not int or version < 1:
        return "version"
    # A part is a folder beside this file, never a path elsewhere.
    if not isinstance(parts, list) or not all(
        isinstance(part, str) and _PART.fullmatch(part) for part in parts
    ):
        return "parts"
    if not isinstance(replaced, list) or not all(
        isinstance(it, str) for it in replaced
    ):
        return "replaced"
    if not isinstance(files, dict) or not all(map(_is_known, files.values())):
        return "files"
    return ""


def _is_known(known: object) -> bool:
    return (
        isinstance(known, dict)
        and isinstance(known.get("mark"), list)
        and isinstance(known.get("run"), str)
        and isinstance(known.get("failed", ""), str)
    )
