# SPDX-License-Identifier: Apache-2.0
"""What all questions to a model are put with."""

from collections.abc import Iterable
from typing import Any

from threadmodel import errors
from threadmodel._library import ffi
from threadmodel.selection import Selection, Window, c_string
from threadmodel.table import Table


def bits(chosen: Iterable[str], known: dict[str, int], what: str) -> int:
    """Add up the numbers of some names.

    Raises:
        InvalidArgumentError: a name that is none
    """
    total = 0
    for name in [chosen] if isinstance(chosen, str) else chosen:
        if name not in known:
            raise errors.InvalidArgumentError(
                f"no such {what}: {name!r:.100}; there are {', '.join(known)}"
            )
        total |= known[name]
    return total


def set_libraries(choices: Any, libraries: Iterable[str] | None) -> list[Any]:
    """Set the field of that name; what is returned must live as long as the struct."""
    if libraries is None:
        return []
    if isinstance(libraries, str):
        libraries = [libraries]
    names = [c_string(library, "library") for library in libraries]
    prefixes = ffi.new("char *[]", names or 1)
    choices.libraries = prefixes
    choices.library_count = len(names)
    return [*names, prefixes]


class Questions:
    """What questions need of the model that they are a part of."""

    def _ask(self, question: Any, *arguments: Any) -> Table:
        raise NotImplementedError

    def _select(
        self,
        threads: Iterable[int | str] | None,
        classes: Iterable[str] | None,
        window: Window | None,
    ) -> Selection:
        raise NotImplementedError

    def _thread_ids(self, threads: Iterable[int | str]) -> list[int]:
        raise NotImplementedError
