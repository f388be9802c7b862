# SPDX-License-Identifier: Apache-2.0
"""The texts of errors: errors.txt has all of them, and each is one line for people."""

from describe import errors

TEXTS = list(errors.texts())


def test_errors_of_c_and_python_are_found() -> None:
    found = {(it.path.name, it.kind) for it in TEXTS}
    assert ("selection.c", "TM_ENOTFOUND") in found
    assert ("dump.c", "caveat") in found
    assert ("load.c", "message") in found
    assert ("ranges.py", "UsageError") in found


def test_strings_side_by_side_are_one_text() -> None:
    source = 'tm__fail(TM_EIO, "%s: " "byte %" PRIu64 " (%s)", f(")"), is ? "a b" : "")'
    given = errors.arguments(source, len("tm__fail("))
    assert list(errors.sentences(given)) == ["%s: byte %u (%s)", "a b"]


def test_an_error_is_one_line_without_a_full_stop() -> None:
    """It stands after "threadmodel: ", and the command line ends the line."""
    errors_of_calls = [it for it in TEXTS if it.kind not in ("caveat", "damage")]
    wrong = [
        it
        for it in errors_of_calls
        if "\n" in it.text or (it.text.endswith(".") and not it.text.endswith("..."))
    ]
    assert wrong == []


def test_a_caveat_is_a_sentence() -> None:
    starts = [it for it in TEXTS if it.kind == "caveat" and it.text[0].isupper()]
    assert len(starts) > 30
    assert [it for it in starts if not it.text.endswith((".", "%s"))] == []


def test_running_out_of_memory_and_a_limit_have_codes_of_their_own() -> None:
    """Numbers of 32 bits are memory's: no program comes near them."""
    limits = [it for it in TEXTS if it.kind == "TM_ENOMEM" and "more than" in it.text]
    assert {it.path.name for it in limits} <= {
        "duration_lists.c",
        "memory.c",
        "triple_map.c",
        "dictionary.c",
    }
