# SPDX-License-Identifier: Apache-2.0
"""Summaries of many runs in a folder or an object store, as Parquet files.

    dataset.json          which files were read, and which parts there are
    part-000000/
      runs.parquet        a row a run: its file, labels, length, cost of recording
      errors.parquet      a row a file that was not read
      callers.parquet     a row a row of the run's summary, with column `run`
      ...

A part is never changed. ``dataset.json`` is replaced as a whole, last: until then a
reader sees what was there before, and parts that it does not name are nobody's.
``unfinished.json`` is the same for whoever continues after an interruption.
"""

import json
import posixpath
from collections.abc import Iterable, Mapping
from typing import Any, Final

from threadmodel import errors, summary
from threadmodel.extras import extra
from threadmodel.fleet import NUMBERS, Result

DONE: Final = "dataset.json"
UNFINISHED: Final = "unfinished.json"
# What identifies the state of a file without reading it.
Mark = list[Any]


class Dataset:
    """What was summed up so far; parts are added by one process at a time."""

    def __init__(self, url: str, *, resume: bool = False) -> None:
        """Open a dataset, or begin one where nothing is.

        Args:
            url: of its folder
            resume: go on where an unfinished job ended; readers see none of that

        Raises:
            NewerVersionError: a newer release wrote it
            FormatError: it is damaged
        """
        fsspec = extra("fleet", module="fsspec")
        self._system, self._root = fsspec.core.url_to_fs(url)
        self._state: dict[str, Any] = {
            "version": summary.VERSION,
            "parts": [],
            "files": {},
            "replaced": [],
        }
        self.is_new = not (resume and self._load(UNFINISHED)) and not self._load(DONE)

    @property
    def parts(self) -> tuple[str, ...]:
        """Paths of the parts' folders."""
        return tuple(self._path(part) for part in self._state["parts"])

    @property
    def _next_part(self) -> str:
        return f"part-{len(self._state['parts']):06}"

    @property
    def replaced(self) -> tuple[str, ...]:
        """Runs whose file was read again since: they count no more."""
        return tuple(self._state["replaced"])

    def has(self, url: str, mark: Mark) -> bool:
        """Return whether a file was read in this state."""
        known = self._state["files"].get(url)
        return known is not None and known["mark"] == mark

    def add(
        self,
        results: Iterable[Result],
        marks: Mapping[str, Mark],
        labels: Mapping[str, Mapping[str, str]],
    ) -> None:
        """Write a part. A file with the content of another one is an error of it."""
        files = self._state["files"]
        runs: list[dict[str, Any]] = []
        failed: list[dict[str, str]] = []
        tables: dict[str, list[Any]] = {}
        urls = {known["run"]: url for url, known in files.items() if known["run"]}
        # A run that a file had once has its rows, and they are shown again.
        stored = {*urls, *self._state["replaced"]}
        part = self._next_part
        results = sorted(results)
        # Contents that moved to another file are that file's.
        for result in results:
            before = files.get(result.url, {}).get("run", "")
            if before and before != result.run and urls.get(before) == result.url:
                del urls[before]
        for result in results:
            before = files.get(result.url, {}).get("run", "")
            first = urls.setdefault(result.run, result.url) if result.run else ""
            error = result.error
            if result.run and first != result.url:
                error = f"same content as {first}"
            run = "" if error else result.run
            files[result.url] = {"mark": marks[result.url], "run": run}
            if error:
                failed.append({"url": result.url, "error": error})
                files[result.url]["failed"] = part
            elif run not in stored:
                facts = {"run": run, "url": result.url, **json.loads(result.facts)}
                runs.append({**facts, **labels.get(result.url, {})})
                for name, stream in result.tables.items():
                    tables.setdefault(name, []).append(_with_run(stream, run))
        shown = {known["run"] for known in files.values()}
        self._state["replaced"] = sorted(stored - shown)
        self._write(runs, failed, tables)

    def finish(self) -> None:
        """Make all that was added visible at once."""
        self._store(DONE)
        if self._system.exists(self._path(UNFINISHED)):
            self._system.rm_file(self._path(UNFINISHED))

    def summary(self, runs: Iterable[str] | None = None) -> summary.Summary:
        """Merge all runs, or some, into one summary."""
        wanted = None if runs is None else set(runs)
        left_out = set(self.replaced)
        whole: summary.Summary = {}
        for part in self.parts:
            tables = [
                {name: summary.from_arrow(name, chosen)}
                for name in summary.TABLES
                for batch in self._batches(posixpath.join(part, f"{name}.parquet"))
                if (chosen := _chosen(batch, wanted, left_out)).num_rows
            ]
            whole = summary.merge([whole, *tables])
        return whole

    def sql(self, statement: str) -> Any:
        """Ask by DuckDB: a view a table, and ``runs`` and ``errors``.

        Returns:
            a DuckDBPyRelation: ``.fetchall()``, ``.df()``, ``.to_arrow_table()``

        Raises:
            UnsupportedError: the dataset is on no disk of this machine
            InvalidArgumentError: the statement is wrong
        """
        duckdb = extra("fleet", module="duckdb")
        connection = self.connect()
        try:
            return connection.sql(statement)
        except duckdb.Error as failure:
            raise errors.InvalidArgumentError(f"SQL: {failure}") from failure

    def connect(self) -> Any:
        """Return a connection of DuckDB of its own, with a view a table.

        Raises:
            UnsupportedError: the dataset is on no disk of this machine
        """
        duckdb = extra("fleet", module="duckdb")
        if "file" not in self._system.protocol:
            raise errors.UnsupportedError(f"{self._root} is on no disk of this machine")
        connection = duckdb.connect()
        connection.execute("create table replaced (run varchar)")
        for run in self.replaced:
            connection.execute("insert into replaced values (?)", [run])
        for name in ("runs", *summary.TABLES):
            if there := self._files_of(name):
                listed = connection.read_parquet(there, union_by_name=True)
                listed.filter("run not in (from replaced)").create_view(name)
        if there := self._files_of("errors"):
            connection.register("failed", self._failed())
            connection.read_parquet(there, filename=True).set_alias("tried").filter(
                "exists (from failed where failed.url = tried.url "
                "and contains(tried.filename, failed.part))"
            ).project("url, error").create_view("errors")
        return connection

    def _files_of(self, name: str) -> list[str]:
        paths = [f"{part}/{name}.parquet" for part in self.parts]
        return [path for path in paths if self._system.exists(path)]

    def _failed(self) -> Any:
        """Which files are not read by now, and where each has its error's row."""
        pyarrow = extra("pyarrow")
        rows = [
            {"url": url, "part": f"/{known.get('failed', '')}"}
            for url, known in self._state["files"].items()
            if not known["run"]
        ]
        text = pyarrow.string()
        return pyarrow.Table.from_pylist(
            rows, pyarrow.schema([("url", text), ("part", text)])
        )

    def _batches(self, path: str) -> list[Any]:
        parquet = extra("pyarrow", module="pyarrow.parquet")
        if not self._system.exists(path):
            return []
        with self._system.open(path, "rb") as file:
            batches: list[Any] = parquet.read_table(file).to_batches()
        return batches

    def _write(
        self, runs: list[Any], failed: list[Any], tables: dict[str, list[Any]]
    ) -> None:
        pyarrow = extra("pyarrow")
        parquet = extra("pyarrow", module="pyarrow.parquet")
        part = self._next_part
        self._system.makedirs(self._path(part), exist_ok=True)
        whole = {name: pyarrow.concat_tables(some) for name, some in tables.items()}
        if runs:
            whole["runs"] = pyarrow.Table.from_pylist(runs, _schema_of(runs))
        if failed:
            whole["errors"] = pyarrow.Table.from_pylist(failed)
        for name, table in whole.items():
            with self._system.open(self._path(f"{part}/{name}.parquet"), "wb") as file:
                parquet.write_table(table, file, compression="zstd")
        self._state["parts"].append(part)
        self._store(UNFINISHED)

    def _path(self, name: str) -> str:
        return posixpath.join(self._root, name)

    def _load(self, name: str) -> bool:
        path = self._path(name)
        if not self._system.exists(path):
            return False
        try:
            state = json.loads(self._system.cat_file(path))
            version = int(state["version"])
        except (ValueError, KeyError, TypeError):
            raise errors.FormatError(f"{path} is damaged") from None
        if version > summary.VERSION:
            raise errors.NewerVersionError(
                f"{path} is of version {version}, and this release reads up to "
                f"{summary.VERSION}"
            )
        self._state = state
        return True

    def _store(self, name: str) -> None:
        """Replace a file; a store's objects appear as a whole, a disk's by a rename."""
        content = json.dumps(self._state, sort_keys=True).encode()
        if "file" not in self._system.protocol:
            self._system.pipe_file(self._path(name), content)
            return
        self._system.makedirs(self._root, exist_ok=True)
        self._system.pipe_file(self._path(name + ".new"), content)
        self._system.mv(self._path(name + ".new"), self._path(name))


def _with_run(stream: bytes, run: str) -> Any:
    pyarrow = extra("pyarrow")
    table = pyarrow.ipc.open_stream(stream).read_all()
    return table.append_column("run", pyarrow.array([run] * len(table), "string"))


def _schema_of(runs: list[dict[str, Any]]) -> Any:
    """Type the columns alike in every part, also where all of one are null."""
    pyarrow = extra("pyarrow")
    names = dict.fromkeys(name for run in runs for name in run)
    return pyarrow.schema(
        (name, pyarrow.int64() if name in NUMBERS else pyarrow.string())
        for name in names
    )


def _chosen(batch: Any, wanted: set[str] | None, left_out: set[str]) -> Any:
    pyarrow = extra("pyarrow")
    keep = [
        run not in left_out and (wanted is None or run in wanted)
        for run in batch.column("run").to_pylist()
    ]
    return batch.filter(pyarrow.array(keep, pyarrow.bool_()))
