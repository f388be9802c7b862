# SPDX-License-Identifier: Apache-2.0
"""SQL over the tables of a run."""

import sys

import pytest

import threadmodel
from threadmodel import errors
from threadmodel.tables import ALL_TABLES

duckdb = pytest.importorskip("duckdb")


@pytest.mark.parametrize("name", ALL_TABLES)
def test_every_table_can_be_asked_by_its_name(
    model: threadmodel.Model, name: str
) -> None:
    table = getattr(model, ALL_TABLES[name])()
    relation = model.sql(f'select * from "{name}"')
    assert relation.columns == list(table.columns)
    rows = [
        dict(zip(relation.columns, row, strict=True)) for row in relation.fetchall()
    ]
    assert rows == list(table)


def test_tables_are_joined_and_summed(model: threadmodel.Model) -> None:
    relation = model.sql(
        "SELECT t.name, sum(l.end_ns - l.start_ns)::BIGINT AS ns "
        "FROM Timeline l JOIN threads t USING (thread_id) "
        "WHERE l.state IN ('blocked', 'deadlocked') GROUP BY t.name ORDER BY t.name"
    )
    wanted = {
        row["name"]: row["blocked_total_ns"]
        for row in model.threads()
        if row["blocked_total_ns"]
    }
    assert dict(relation.fetchall()) == wanted


STATEMENTS = (
    "select state, count(*) from timeline group by state order by state",
    "select count(*) from timeline",
    "from timeline order by all",
    "from timeline select thread, end_ns order by all",
    "select t from timeline t order by t.thread_id, t.start_ns",
    "select count(t) from timeline t",
    "select columns('.*_ns') from timeline order by all",
    "select * exclude (stack) from timeline order by all",
    "from timeline limit 0",
    "select * from (select * from timeline where 1 = 0)",
    "with a as (from timeline) select class from a where state = 'blocked' order by 1",
    "select class from interactions where peer is null order by all",
    "select l.peer from timeline l join holds h on l.peer = h.thread order by all",
    "select * from timeline natural join threads order by all",
    "select l.class, h.class from timeline l cross join holds h order by all",
    "select exists (from interactions where class = 'demo.Account')",
    "describe timeline",
    "summarize holds",
    "unpivot (select start_ns, end_ns from holds) on start_ns, end_ns order by all",
    "select 1; select max(end_ns) from timeline",
    "create table x as from timeline; select sum(start_ns) from x",
)


@pytest.mark.parametrize("statement", STATEMENTS)
def test_what_a_statement_does_not_read_makes_no_difference(
    model: threadmodel.Model, statement: str
) -> None:
    with duckdb.connect() as whole:
        for name in ("timeline", "interactions", "holds", "threads"):
            whole.register(name, getattr(model, name)().to_arrow())
        wanted = failure = None
        try:
            wanted = whole.sql(statement).fetchall()
        except duckdb.Error as error:
            failure = str(error)
    if failure:
        with pytest.raises(errors.InvalidArgumentError) as raised:
            model.sql(statement)
        assert str(raised.value) == failure
    else:
        assert wanted is not None
        assert model.sql(statement).fetchall() == wanted


def test_an_answer_outlives_its_model() -> None:
    model = threadmodel.Model()
    model.define_thread(1, "only")
    relation = model.sql("select name from threads")
    del model
    assert relation.fetchall() == [("only",)]


@pytest.mark.parametrize(
    ("statement", "text"),
    [
        ("select * from no_such", "no_such"),
        ("select nothing from threads", "nothing"),
        ("selec", "syntax error"),
        ("", "asks nothing"),
    ],
)
def test_a_wrong_statement_is_reported_in_words(
    model: threadmodel.Model, statement: str, text: str
) -> None:
    with pytest.raises(threadmodel.InvalidArgumentError, match=text):
        model.sql(statement)


def test_show_tables_lists_them_and_describe_their_columns(
    model: threadmodel.Model,
) -> None:
    for statement in ("show tables", "-- all\n SHOW ALL TABLES;\n"):
        relation = model.sql(statement)
        assert relation.columns == ["name"]
        assert [name for (name,) in relation.fetchall()] == sorted(ALL_TABLES)
    described = [row[0] for row in model.sql("describe threads").fetchall()]
    assert described == list(model.threads().columns)


def test_a_table_that_is_not_there_brings_the_nearest_and_all(
    model: threadmodel.Model,
) -> None:
    with pytest.raises(
        threadmodel.InvalidArgumentError,
        match=r"no table Thread; did you mean threads\? there are .*diagnostics$",
    ):
        model.sql("select * from Thread")
    with pytest.raises(
        threadmodel.InvalidArgumentError, match=r"^no table xyzzy; there are threads, "
    ):
        model.sql("select * from threads join xyzzy using (thread_id)")


def test_variables_of_the_program_are_no_tables(model: threadmodel.Model) -> None:
    with pytest.raises(threadmodel.InvalidArgumentError, match="no table connection"):
        model.sql("select * from connection")


def test_names_are_values_and_run_nowhere(hostile: threadmodel.Model) -> None:
    names = {name for (name,) in hostile.sql("select name from threads").fetchall()}
    assert names == {row["name"] for row in hostile.threads()}


@pytest.mark.parametrize("package", ["duckdb", "pyarrow"])
def test_without_the_package_the_error_reports_what_to_install(
    model: threadmodel.Model, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(
        threadmodel.MissingExtraError, match=rf"threadmodel\[{package}\]"
    ):
        model.sql("select 1")
