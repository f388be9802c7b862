# SPDX-License-Identifier: Apache-2.0
"""Answers from all runs of a dataset: causes, changes, outliers, lock orders.

Each answer is a list of rows; each row names a run that shows it. With too few runs for
an answer, it has a sentence in ``unknown`` instead of rows.
"""

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from threadmodel import errors
from threadmodel.extras import extra
from threadmodel.fleet import FACTS
from threadmodel.fleet_dataset import Dataset
from threadmodel.fleet_orders import cycles, is_named

Row = dict[str, Any]

# Runs of each version. With fewer, t intervals of skewed figures are too narrow.
LEAST_RUNS: Final = 10
LEAST_HOSTS: Final = 5
CONFIDENCE: Final = 0.95
# Of modified z-scores, after Iglewicz and Hoaglin.
FAR: Final = 3.5
_DEVIATIONS: Final = 0.6745
MOST_ORDERS: Final = 2_000
_CAUSE: Final = ("kind", "class", "method")


@dataclass
class Answer:
    """Rows, or why there are none."""

    rows: list[Row] = field(default_factory=list)
    unknown: str = ""


class Report:
    """Questions to a dataset, on all runs or on some."""

    def __init__(self, dataset: Dataset, only: Mapping[str, str] | None = None) -> None:
        """Choose the runs.

        Args:
            dataset: on a disk of this machine
            only: values of labels that a run must have

        Raises:
            InvalidArgumentError: there is no such label, or no such run
        """
        self._dataset = dataset
        self._connection = dataset.connect()
        self._tables = {row[0] for row in self._all("show tables")}
        described = self._rows("describe runs") if "runs" in self._tables else []
        names = [row["column_name"] for row in described]
        self.labels: tuple[str, ...] = tuple(n for n in names if n not in FACTS)
        self.only = dict(only or {})
        for name in self.only:
            self._check_label(name)
        tests = [f"{_quoted(name)} = ?" for name in self.only]
        where = f"where {' and '.join(tests)}" if tests else ""
        source = "runs" if described else "(select '' as run, 1 as length_ns limit 0)"
        self._all(
            f"create temp table chosen as from {source} {where}",
            list(self.only.values()),
        )
        self._make_causes()
        self.runs: int = self._all("select count(*) from chosen")[0][0]
        if not self.runs:
            raise errors.InvalidArgumentError("the dataset has no such run")
        found = self._all("select count(*) from errors") if self._has("errors") else []
        self.errors: int = found[0][0] if found else 0

    def causes(self, top: int) -> Answer:
        """Return findings by their cost in all runs, the most expensive first."""
        return Answer(
            self._rows(
                f"""select {", ".join(_CAUSE)}, sum(cost_ns) as cost_ns,
                    count(*) as runs, count(*) filter (suspected) as suspected,
                    first(run order by cost_ns desc, run) as run
                from causes group by all
                order by cost_ns desc, kind, class, method limit {top}"""
            )
        )

    def by_label(self, label: str, top: int) -> Answer:
        """Return each value of a label with the most expensive cause in its runs.

        Raises:
            InvalidArgumentError: there is no such label
        """
        self._check_label(label)
        return Answer(
            self._rows(
                f"""with cells as (
                    select chosen.{_quoted(label)} as value,
                        {", ".join(f"causes.{name} as {name}" for name in _CAUSE)},
                        sum(cost_ns) as cost_ns,
                        first(run order by cost_ns desc, run) as run
                    from causes join chosen using (run) group by all
                ), dearest as (
                    from cells qualify row_number() over (partition by value
                        order by cost_ns desc, kind, class, method) = 1
                ), sizes as (
                    select {_quoted(label)} as value, count(*) as runs,
                        sum(length_ns) as length_ns from chosen group by all
                )
                select value, runs, length_ns, kind, class, method, cost_ns, run
                from sizes left join dearest using (value)
                where value is not null
                order by cost_ns desc nulls last, value limit {top}"""
            )
        )

    def changes(self, since: str, before: str | None = None) -> Answer:
        """Compare the cost of causes for each second of run, by service, over versions.

        A cause that a run has no finding of costs it nothing. All intervals together
        hold with a confidence of 95 %: each by Welch's t, after Bonferroni.

        Args:
            since: the first version of those that are new
            before: the version to compare with; else all that are older, where
                versions are of numbers, such as 1.10.2

        Raises:
            InvalidArgumentError: no label version, no such version, or one whose place
                among the others cannot be known
        """
        self._check_label("version")
        found = [row[0] for row in self._all("select distinct version from chosen")]
        versions = sorted(version for version in found if version is not None)
        for version in filter(None, (since, before)):
            if version not in versions:
                raise errors.InvalidArgumentError(f"no run of version {version!r}")
        new = [since] if before else _not_older(versions, since)
        old = [before] if before else [v for v in versions if v not in new]
        service = "coalesce(service, '')" if "service" in self.labels else "''"
        self._all(
            f"""create or replace temp table sides as
            select run, {service} as service, list_contains(?, version) as is_new,
                length_ns
            from chosen where length_ns > 0
                and (list_contains(?, version) or list_contains(?, version))""",
            [new, new, old],
        )
        return self._compared()

    def _compared(self) -> Answer:
        sizes: dict[str, list[int]] = {}
        for service, is_new, runs in self._all(
            "select service, is_new, count(*) from sides group by all"
        ):
            sizes.setdefault(service, [0, 0])[is_new] = runs
        few = sorted(name for name, size in sizes.items() if min(size) < LEAST_RUNS)
        answer = Answer()
        if few:
            shown = "; ".join(
                f"{name + ': ' if name else ''}{sizes[name][0]} before, "
                f"{sizes[name][1]} since"
                for name in few[:10]
            )
            more = f"; and {len(few) - 10} more services" if len(few) > 10 else ""
            answer.unknown = (
                f"too few runs to say what changed ({LEAST_RUNS} of each needed): "
                f"{shown}{more}"
            )
        elif not sizes:
            answer.unknown = "no run with a length to compare"
        rows = self._rows(
            f"""with costs as (
                select service, is_new, run, {", ".join(_CAUSE)},
                    cost_ns::double / length_ns as cost
                from causes join sides using (run)
            )
            select service, {", ".join(_CAUSE)},
                {_moments("not is_new", "before")}, {_moments("is_new", "since")},
                first(run order by is_new desc, cost desc, run) as run
            from costs group by all order by all"""
        )
        rows = [row for row in rows if row["service"] not in few]
        for row in rows:
            row |= _interval(row, sizes[row["service"]], len(rows))
        answer.rows = sorted(rows, key=lambda row: -abs(row["change"]))
        return answer

    def outliers(self) -> Answer:
        """Return hosts whose runs were blocked far more or less than others'.

        Within each service, by the distance from the median in median deviations.
        """
        if "host" not in self.labels:
            return Answer(unknown="no label host")
        service = "service" if "service" in self.labels else "''"
        hosts = self._rows(
            f"""with blocked as ({self._blocked()})
            select {service} as service, host, count(*) as runs,
                sum(coalesce(blocked_ns, 0))::double / sum(length_ns) as share,
                first(run order by blocked_ns desc nulls last, run) as run
            from chosen left join blocked using (run)
            where host is not null and length_ns > 0 group by all order by all"""
        )
        groups: dict[str, list[Row]] = {}
        for host in hosts:
            groups.setdefault(host["service"] or "", []).append(host)
        answer, silent = Answer(), []
        for name, group in groups.items():
            middle = statistics.median(host["share"] for host in group)
            spread = statistics.median(abs(host["share"] - middle) for host in group)
            if len(group) < LEAST_HOSTS or not spread:
                silent.append(name)
                continue
            for host in group:
                score = _DEVIATIONS * (host["share"] - middle) / spread
                if abs(score) > FAR:
                    answer.rows.append({**host, "median": middle, "score": score})
        if silent or not groups:
            where = f" in {len(silent)} of {len(groups)} services"
            answer.unknown = (
                f"fewer than {LEAST_HOSTS} hosts, or most of them alike"
                f"{where if len(groups) > 1 else ''}"
            )
        answer.rows.sort(key=lambda row: -abs(row["score"]))
        return answer

    def orders(self) -> Answer:
        """Return the cycles among all runs' lock orders, an edge a row.

        Classes are compared, since an object means nothing in another run: that two of
        them are the same objects has to be looked up in the runs.
        """
        if not self._has("lock_edges"):
            return Answer()
        edges = self._rows(
            """select held_class, wanted_class, sum("count") as count,
                count(distinct run) as runs, min(run) as run,
                bool_and(provenance = 'inferred') as inferred,
                first(held_method order by run, held_method) as held_method,
                first(method order by run, held_method) as method
            from lock_edges semi join chosen using (run)
            group by held_class, wanted_class order by all"""
        )
        named = [edge for edge in edges if is_named(edge)]
        answer = Answer()
        if len(named) < len(edges):
            answer.unknown = (
                f"{len(edges) - len(named)} of {len(edges)} lock orders are left out: "
                "their classes are unknown, or the JDK's, and do not say which lock"
            )
        if len(named) > MOST_ORDERS:
            answer.unknown = f"{len(named)} lock orders are too many: choose fewer runs"
            return answer
        for number, cycle in enumerate(cycles(named), 1):
            together = self._run_with(cycle)
            answer.rows += [
                {"cycle": number, "together": together, **edge} for edge in cycle
            ]
        return answer

    def url(self, run: str | None) -> str:
        """Return where a run was read from."""
        found = self._all("select url from chosen where run = ?", [run])
        return str(found[0][0]) if found else ""

    def _run_with(self, cycle: Sequence[Row]) -> str | None:
        """Return a run that has all orders of a cycle."""
        pairs = [[edge["held_class"], edge["wanted_class"]] for edge in cycle]
        found = self._all(
            """select run from lock_edges semi join chosen using (run)
            where list_contains(?, [held_class, wanted_class])
            group by run
            having count(distinct [held_class, wanted_class]) = ?
            order by run limit 1""",
            [pairs, len(pairs)],
        )
        return str(found[0][0]) if found else None

    def _make_causes(self) -> None:
        """Make a table of the cost of findings in each run, without minor ones."""
        if self._has("findings"):
            source = """select run, kind, class, method,
                    sum(impact_ns)::bigint as cost_ns, bool_and(suspected) as suspected
                from findings semi join chosen using (run)
                where not minor and impact_ns is not null group by all"""
        else:
            source = """select '' as run, '' as kind, '' as class, '' as method,
                0 as cost_ns, false as suspected limit 0"""
        self._all(f"create temp table causes as {source}")

    def _blocked(self) -> str:
        if not self._has("blamed"):
            return "select '' as run, 0 as blocked_ns limit 0"
        return "select run, sum(total_ns) as blocked_ns from blamed group by run"

    def _check_label(self, name: str) -> None:
        if name not in self.labels:
            known = ", ".join(self.labels) or "none"
            raise errors.InvalidArgumentError(f"no label {name!r}; there are: {known}")

    def _has(self, table: str) -> bool:
        return table in self._tables

    def _all(self, statement: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        with self._dataset.damage():
            found: list[tuple[Any, ...]] = self._connection.execute(
                statement, list(values)
            ).fetchall()
        return found

    def _rows(self, statement: str) -> list[Row]:
        with self._dataset.damage():
            cursor = self._connection.execute(statement)
            names = [column[0] for column in cursor.description]
            return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _moments(condition: str, side: str) -> str:
    """Return SQL for count, mean and variance of the runs that have the cause."""
    chosen = f"filter ({condition})"
    return (
        f"count(*) {chosen} as runs_{side}, coalesce(avg(cost) {chosen}, 0) as "
        f"mean_{side}, coalesce(var_pop(cost) {chosen}, 0) as var_{side}"
    )


def _interval(row: Row, sizes: Sequence[int], questions: int) -> Row:
    """Return the change of the mean with its interval; None: the noise is unknown."""
    special = extra("fleet", module="scipy.special")
    means, errors_squared = [], []
    for side, runs in zip(("before", "since"), sizes, strict=True):
        having, mean = row[f"runs_{side}"], row[f"mean_{side}"]
        # Runs without the cause have a cost of 0.
        squares = (
            row[f"var_{side}"] * having + mean**2 * having * (runs - having) / runs
        )
        means.append(mean * having / runs)
        errors_squared.append(squares / (runs - 1) / runs)
    change, error_squared = means[1] - means[0], sum(errors_squared)
    answer = {"before": means[0], "since": means[1], "change": change}
    if error_squared <= (1e-9 * max(means)) ** 2:
        return {**answer, "low": None, "high": None}
    freedom = error_squared**2 / sum(
        error**2 / (runs - 1) for error, runs in zip(errors_squared, sizes, strict=True)
    )
    tail = (1 - CONFIDENCE) / 2 / questions
    reach = float(special.stdtrit(freedom, 1 - tail)) * error_squared**0.5
    return {**answer, "low": change - reach, "high": change + reach}


def _not_older(versions: Sequence[str], since: str) -> list[str]:
    """Return the versions from one on.

    Raises:
        InvalidArgumentError: one is not of numbers
    """
    packaging = extra("fleet", module="packaging.version")
    try:
        parsed = {version: packaging.Version(version) for version in versions}
    except packaging.InvalidVersion as failure:
        raise errors.InvalidArgumentError(
            f"{failure}: which are older cannot be known; name one by --before"
        ) from None
    return [version for version in versions if parsed[version] >= parsed[since]]
