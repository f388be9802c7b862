# SPDX-License-Identifier: Apache-2.0
"""Questions at 10^6, 10^7 and 10^8 intervals, beside DuckDB and pandas on the rows of
the same timeline: what they take once the run is in memory, or in a Parquet file."""

import sys
import time
from collections.abc import Callable
from typing import Any

from fetch import MissingError, Setting, python_package

import runs
from rounds import Figures, Result, Subject, measure

NAME = "answers"
SIZES, SMALL_SIZES = (1_000_000, 10_000_000), (20_000,)
HUGE = 100_000_000
HUGE_MEMORY_GIB = 48
WINDOW = (0.25, 0.35)
QUESTIONS = {
    "by class": ("class",),
    "class and caller": ("class", "method"),
    "by thread": ("thread_id",),
    "class, object, caller, thread": ("class", "object", "method", "thread_id"),
}
OURS = {"method": "caller", "thread_id": "thread"}
FIGURES = """count(*), sum(ns), min(ns), max(ns), avg(ns),
approx_quantile(ns, 0.5), approx_quantile(ns, 0.9), approx_quantile(ns, 0.99)"""


def timed(question: Callable[[], object]) -> Subject:
    def once() -> Figures:
        wall, cpu = time.perf_counter(), time.process_time()
        question()
        return {
            "wall_s": time.perf_counter() - wall,
            "cpu_s": time.process_time() - cpu,
        }

    return once


def duckdb_on(rows: str, table: Any, keys: tuple[str, ...], where: str) -> Subject:
    import duckdb

    connection = duckdb.connect()
    if table is not None:
        connection.register("rows", table)
    names = ", ".join(keys)
    blocks = f"select *, end_ns - start_ns as ns from {rows} where {where}"
    statement = f"select {names}, {FIGURES} from ({blocks}) group by {names}"
    return timed(lambda: connection.execute(statement).to_arrow_table())


def pandas_on(frame: Any, keys: tuple[str, ...]) -> Subject:
    def question() -> object:
        groups = frame.groupby(list(keys), observed=True)["ns"]
        # Percentiles of millions of groups would take it minutes: it goes without.
        return groups.agg(["count", "sum", "min", "max", "mean"])

    return timed(question)


def size(setting: Setting, intervals: int) -> None:
    model = runs.model(intervals)
    length = model.length_ns
    window = (int(WINDOW[0] * length), int(WINDOW[1] * length))
    arrow = frame = parquet = None
    try:
        python_package("duckdb")
        python_package("pyarrow")
        parquet = setting.folder / "timeline.parquet"
        model.timeline().to_parquet(parquet)
        arrow = model.timeline().to_arrow()
    except MissingError as reason:
        setting.skip(str(reason))
    try:
        python_package("pandas")
        # What a question of blocks needs, without the thread's other time.
        names = [
            "class",
            "object",
            "method",
            "thread_id",
            "start_ns",
            "end_ns",
            "state",
        ]
        frame = model.timeline().to_arrow().select(names).to_pandas()
        frame = frame[frame["state"] == "parked"]
        frame["ns"] = frame.pop("end_ns") - frame.pop("start_ns")
    except MissingError as reason:
        setting.skip(str(reason))
    parked = "state = 'parked'"
    for name, keys in QUESTIONS.items():
        by = [OURS.get(key, key) for key in keys]
        subjects: dict[str, Subject] = {
            "threadmodel": timed(lambda by=by: model.statistics(by))
        }
        if arrow is not None:
            file = f"'{parquet}'"
            subjects["DuckDB on Parquet"] = duckdb_on(file, None, keys, parked)
            subjects["DuckDB on Arrow"] = duckdb_on("rows", arrow, keys, parked)
        if frame is not None:
            subjects["pandas, no percentiles"] = pandas_on(frame, keys)
        setting.result.add(
            measure(f"{name}, {intervals:,} intervals", subjects, setting.rounds)
        )
    subjects = {
        "threadmodel": timed(
            lambda: model.statistics("class", selection(window)),
        )
    }
    if arrow is not None:
        inside = f"{parked} and end_ns > {window[0]} and start_ns < {window[1]}"
        subjects["DuckDB on Arrow"] = duckdb_on("rows", arrow, ("class",), inside)
        # The same question in our SQL, which builds the table first.
        statement = (
            "select class, count(*), sum(end_ns - start_ns) from timeline "
            f"where {parked} group by class"
        )
        setting.result.add(
            measure(
                f"model.sql by class, {intervals:,} intervals",
                {
                    "threadmodel": timed(lambda: model.sql(statement).fetchall()),
                    "DuckDB on Arrow": timed(lambda: plain(arrow, statement)),
                },
                setting.rounds,
            )
        )
    setting.result.add(
        measure(f"a window, {intervals:,} intervals", subjects, setting.rounds)
    )


def plain(arrow: Any, statement: str) -> object:
    import duckdb

    connection = duckdb.connect()
    connection.register("timeline", arrow)
    return connection.sql(statement).fetchall()


def selection(window: tuple[int, int]) -> Any:
    from threadmodel import Selection

    return Selection(window=window)


def memory_gib() -> float:
    with open("/proc/meminfo") as file:
        return int(file.readline().split()[1]) / (1 << 20)


def bench(setting: Setting) -> Result:
    try:
        python_package("numpy")
    except MissingError as reason:
        setting.skip(str(reason))
        return setting.result
    sizes = list(SMALL_SIZES if setting.small else SIZES)
    if not setting.small:
        if memory_gib() >= HUGE_MEMORY_GIB:
            sizes.append(HUGE)
        else:
            setting.skip(
                f"{HUGE:,} intervals: with DuckDB's and pandas's copies they take "
                f"{HUGE_MEMORY_GIB} GiB, and the machine has {memory_gib():.0f}"
            )
    for intervals in sizes:
        print(f"  {intervals:,} intervals", file=sys.stderr, flush=True)
        size(setting, intervals)
    return setting.result
