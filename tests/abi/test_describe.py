# SPDX-License-Identifier: Apache-2.0
"""Enums, tables and columns stand once, and all that comes from there is up to date."""

import re

import pytest

from describe import columns, enums
from describe.examples import examples, most_telling
from describe.headers import PUBLIC, ROOT, read_api
from describe.outputs import outputs

ANSWERS = re.compile(r"/\*\*((?:(?!\*/).)*)\*/\s*TM_API int (tm_\w+)\(tm_table \*\*out")


def test_all_that_is_written_from_the_description_is_up_to_date() -> None:
    old = [
        str(path.relative_to(ROOT))
        for path, text in outputs()
        if not path.exists() or path.read_text() != text
    ]
    assert old == [], "run ./dev describe"


def test_enums_are_read_as_a_compiler_reads_them() -> None:
    read = {name: list(enum.spellings) for name, enum in enums.read_enums().items()}
    assert read == read_api().enums


def test_every_function_that_answers_with_a_table_lists_its_columns() -> None:
    listed = set()
    for path in PUBLIC:
        for comment, name in re.findall(ANSWERS.pattern, path.read_text(), re.DOTALL):
            if "Columns (table `" not in comment:
                listed.add(name)
    # These answer as the function before, and with the columns of any table.
    assert listed == {
        "tm_finding_list_part",
        "tm_summary_import",
        "tm_summary_merge",
        "tm_table_gather",
        "tm_verdict_list_part",
        "tm_verdict_member_list_part",
        "tm_whatif_rank",
    }


def test_every_table_is_listed_somewhere() -> None:
    text = "".join(path.read_text() for path in PUBLIC)
    named = set(re.findall(r"Columns \(table `(\w+)`\)", text))
    tables = columns.read_tables()
    assert {name for name, table in tables.items() if not table.of} <= named


def test_every_table_has_rows_of_a_real_run_but_two() -> None:
    shown = examples()
    assert {name for name, rows in shown.items() if not rows} == {
        "resource_uses",
        "modules",
    }
    assert shown.keys() == columns.read_tables().keys()
    assert all(len(cells) <= 3 for rows in shown.values() for _, cells in rows)


def test_rows_that_leave_few_columns_empty_are_shown_in_their_order() -> None:
    rows = [{"a": 1, "b": None}, {"a": 1, "b": 2}, {"a": 0, "b": 0}, {"a": 3, "b": 4}]
    assert most_telling(rows) == [rows[0], rows[1], rows[3]]


@pytest.mark.parametrize(
    ("column", "said"),
    [
        ('{name = "word"}', "column word: of what type"),
        ('{name = "word", type = "text"}', "column word: no type text"),
        ('{name = "word", type = "string", colour = "red"}', "column word: colour"),
        ('{name = "word", enum = "tm_nothing"}', "column word: no enum tm_nothing"),
    ],
)
def test_a_description_that_makes_no_sense_is_refused(column: str, said: str) -> None:
    text = f'[column]\n[set]\n[[table]]\nname = "t"\nabout = "a"\ncolumns = [{column}]'
    with pytest.raises(columns.Wrong, match=said):
        columns.parse(text)


def test_a_word_takes_its_place_in_repeated_columns() -> None:
    table = columns.parse(
        '[column]\n[set]\n[[table]]\nname = "t"\nabout = "a"\ncolumns = [{each = '
        '["a", "b"], columns = [{name = "<state>_ns"}, {name = "<state>_share", '
        'type = "double"}]}]'
    )["t"]
    assert [(column.name, column.type) for column in table.columns] == [
        ("a_ns", "int64"),
        ("a_share", "double"),
        ("b_ns", "int64"),
        ("b_share", "double"),
    ]


def test_columns_depend_on_keys() -> None:
    table = columns.parse(
        '[column]\n[set]\n[[table]]\nname = "t"\nabout = "a"\ncolumns = ['
        '{name = "a_ns", keys = ["A"]}, {name = "b_ns", keys = ["B"], without = ["A"]},'
        '{name = "c_ns"}]'
    )["t"]
    names = {
        keys: [column.name for column in table.asked(keys)]
        for keys in ("", "A", "B", "AB")
    }
    assert names == {
        "": ["c_ns"],
        "A": ["a_ns", "c_ns"],
        "B": ["b_ns", "c_ns"],
        "AB": ["a_ns", "c_ns"],
    }
