# SPDX-License-Identifier: Apache-2.0
"""Lists, asked for with only some of their columns."""

import pytest

import threadmodel
from threadmodel import Selection, errors

LISTS = (
    "timeline",
    "interactions",
    "context",
    "resources",
    "resource_uses",
    "holds",
)


@pytest.mark.parametrize("name", LISTS)
def test_others_are_null_and_these_are_as_ever(
    model: threadmodel.Model, name: str
) -> None:
    ask = getattr(model, name)
    whole = ask()
    for wanted in ([], whole.columns[:1], whole.columns[-1:], whole.columns[::3]):
        some = ask(Selection(columns=wanted))
        assert some.columns == whole.columns
        for column in whole.columns:
            values = list(whole[column])
            nothing = [None] * len(whole)
            assert list(some[column]) == (values if column in wanted else nothing)


def test_other_libraries_read_what_is_null_throughout(
    model: threadmodel.Model,
) -> None:
    pytest.importorskip("pyarrow")
    polars = pytest.importorskip("polars")
    arrow = model.timeline(Selection(columns=["state"])).to_arrow()
    arrow.validate(full=True)
    assert set(arrow.to_pandas()["thread"].isna()) == {True}
    assert polars.from_arrow(arrow)["class"].null_count() == len(arrow)


def test_a_column_that_there_is_not_is_named(model: threadmodel.Model) -> None:
    words = "table timeline has no column colour"
    with pytest.raises(errors.NotFoundError, match=words):
        model.timeline(Selection(columns="colour"))
