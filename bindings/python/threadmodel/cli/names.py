# SPDX-License-Identifier: Apache-2.0
"""Names as people type them: whole, as they were printed, as a pattern with * and ?, or
a part of one.

A whole name stands for itself alone. So does what is printed for it: without packages,
with escapes, or cut, with an ellipsis for what is missing. Otherwise a pattern, or a
part in any case, stands for every name that it fits.
"""

import contextlib
import difflib
import re
from collections.abc import Callable, Container, Iterable, Sequence
from typing import Final, TypeVar

from threadmodel.errors import NotFoundError
from threadmodel.model import Model
from threadmodel.selection import Selection
from threadmodel.text import clean

# Only this much of a name is compared to find the nearest ones.
COMPARED: Final = 200
NAMED_AT_ONCE: Final = 4
# Characters of a pattern that stand for any text or for one character. The ellipsis is
# that of names that were cut.
WILD: Final = {"*": ".*", "…": ".*", "?": "."}

Of = TypeVar("Of")


def fitting(wanted: str, known: Iterable[str], what: str) -> list[str]:
    """Return the known names that a name, a pattern, or a part of a name stands for.

    Args:
        wanted: as typed
        known: all names there are
        what: noun for these names, in messages

    Raises:
        NotFoundError: no name fits; the message has the nearest ones
    """
    names = list(dict.fromkeys(known))
    if wanted in names:
        return [wanted]
    printed = [name for name in names if _is_printed_as(name, wanted)]
    if printed:
        return printed
    if any(letter in wanted for letter in WILD):
        pattern = "".join(WILD.get(letter, re.escape(letter)) for letter in wanted)
        found = [
            name
            for name in names
            if re.fullmatch(pattern, name, re.DOTALL)
            or re.fullmatch(pattern, clean(name), re.DOTALL)
        ]
    else:
        part = wanted.casefold()
        found = [name for name in names if part in name.casefold()]
    if not found:
        raise NotFoundError(f"no {what} fits {wanted!r:.200}{_nearest(wanted, names)}")
    return found


def _is_printed_as(name: str, wanted: str) -> bool:
    """Whether a name is printed so: cleaned, and without its packages."""
    shown = clean(name)
    if shown == wanted:
        return True
    if not wanted or not shown.endswith(f".{wanted}"):
        return False
    packages = shown.removesuffix(wanted).split(".")[:-1]
    return all(package[:1].islower() for package in packages)


def short(name: str) -> str:
    """Return the name of a method without packages, as cards print it.

    A dot in the version of a library, or before a digit, does not end a package.
    """
    if re.search(r"\.so(?:\.|$)", name):
        return name
    return re.sub(r"^(?:[a-z][^.]*\.(?=[^.\d][^.]*\.))+", "", name)


def one(wanted: str, known: Iterable[str], what: str) -> str:
    """Return the only known name that a name or a pattern stands for.

    Raises:
        NotFoundError: no name fits, or more than one does
    """
    found = fitting(wanted, known, what)
    if len(found) > 1:
        shown = ", ".join(clean(name, COMPARED) for name in found[:NAMED_AT_ONCE])
        more = len(found) - NAMED_AT_ONCE
        others = f" and {more:,} more" if more > 0 else ""
        raise NotFoundError(
            f"{wanted!r:.200} fits more than one {what}: {shown}{others}"
        )
    return found[0]


def _nearest(wanted: str, names: Sequence[str]) -> str:
    short = {name[:COMPARED].casefold(): name for name in names}
    near = difflib.get_close_matches(wanted[:COMPARED].casefold(), short, 2, 0.5)
    if not near:
        return ""
    return f"; the nearest is {' or '.join(repr(short[name])[:200] for name in near)}"


def thread_key(name: str, known: Container[str] = ()) -> int | str:
    """Return the id that #ID or `thread ID` stands for, or the name itself.

    Threads without a name are printed so. A known name stands for itself.
    """
    found = re.fullmatch("(?:#|thread )([0-9]{1,20})", name)
    return int(found[1]) if found and name not in known else name


def thread_ids(model: Model, wanted: Iterable[str]) -> list[int]:
    """Return the ids of the threads that these names, patterns and #IDs stand for."""
    if not model.event_count:
        return []
    by_name: dict[str, list[int]] = {}
    table = model.threads()
    for id_, name in zip(table["thread_id"], table["name"], strict=True):
        by_name.setdefault(name or "", []).append(id_)
    found: list[int] = []
    for text in wanted:
        key = thread_key(text, by_name)
        if isinstance(key, int):
            found.append(key)
        else:
            for name in fitting(key, by_name, "thread"):
                found += by_name[name]
    return found


def thread_id(model: Model, wanted: str | None) -> int | None:
    """Return the id of the one thread that a name, a pattern or #ID stands for.

    None stands for none, and so does any name in a run without events.

    Raises:
        NotFoundError: none, or more than one
    """
    if wanted is None or not model.event_count:
        return None
    table = model.threads()
    key = thread_key(wanted, table["name"])
    if isinstance(key, int):
        return key
    pairs = [
        (id_, name or "")
        for id_, name in zip(table["thread_id"], table["name"], strict=True)
    ]
    name = one(key, (name for _, name in pairs), "thread")
    ids: list[int] = [id_ for id_, other in pairs if other == name]
    if len(ids) > 1:
        shown = ", ".join(f"#{id_}" for id_ in ids[:NAMED_AT_ONCE])
        raise NotFoundError(f"{len(ids)} threads have the name {name!r:.200}: {shown}")
    return ids[0]


def _column(model: Model, key: str) -> list[str]:
    return [name for name in model.statistics((key,))[key] if name]


def classes(model: Model, wanted: Iterable[str]) -> list[str]:
    """Return the names of the classes that these names and patterns stand for."""
    if not model.event_count:
        return list(wanted)
    known = _column(model, "class")
    return [name for text in wanted for name in fitting(text, known, "class")]


def known_class(model: Model, wanted: str | None) -> str | None:
    """Return the name of the one class that a name or pattern stands for."""
    return _known(wanted, lambda: one(wanted or "", _column(model, "class"), "class"))


def known_object(model: Model, wanted: str | None) -> str | None:
    """Return the name of the one object that a name or pattern stands for."""
    return _known(
        wanted,
        lambda: one(wanted or "", filter(None, model.objects()["object"]), "object"),
    )


def known_method(
    model: Model, wanted: str | None, change: str | None = None
) -> str | None:
    """Return the name of the one method that a name or pattern stands for.

    A line number that follows, as on cards, is passed over. A change of permits or of
    uses is of a method in which threads wait for them, if one fits.
    """
    if wanted is None:
        return None
    wanted = re.sub(r":[0-9]+$", "", wanted)
    if change in ("permits", "uses") and model.event_count:
        waiting = [row["waiting_method"] for row in model.resources()]
        with contextlib.suppress(NotFoundError):
            return one(wanted, filter(None, waiting), "method")
    blocking = _column(model, "method")
    with contextlib.suppress(NotFoundError):
        fitting(wanted, blocking, "method")
        return _known(wanted, lambda: one(wanted, blocking, "method"))
    # A method in which threads only ran has no row in statistics.
    return _known(
        wanted, lambda: one(wanted, filter(None, model.stacks()["method"]), "method")
    )


def _known(wanted: str | None, find: Callable[[], str]) -> str | None:
    """Return a name that statistics lack as it is: the question may know it."""
    if wanted is None:
        return None
    try:
        return find()
    except NotFoundError as failure:
        if "fits more than one" in str(failure):
            raise
        return wanted


def selection(
    model: Model,
    threads: Sequence[str],
    class_names: Sequence[str],
    window: tuple[int | None, int | None] | None,
) -> Selection:
    """Return the part of a run that these options choose."""
    return Selection(
        thread_ids(model, threads) if threads else None,
        classes(model, class_names) if class_names else None,
        window,
    )
