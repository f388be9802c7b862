# SPDX-License-Identifier: Apache-2.0
"""Summaries of many runs in a folder or an object store, as Parquet files.

    dataset.json          which files were read, and which parts there are
    part-000000/
      runs.parquet        a row a run: its file, labels, length, cost of recording
      errors.parquet      a row a file that was not read
      callers.parquet     a row a row of the run's summary, with column `run`
      ...

A part is never changed. A job replaces ``dataset.json`` as a whole, as its last step:
until then readers see the old content, and ignore parts that it does not name.
``unfinished.json`` is the same for a job that continues after an interruption. A job
that adds parts holds a lock; on a disk it is that of the file ``lock``, which stays.
"""

import contextlib
import fcntl
import glob
import json
import os
import posixpath
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from threadmodel import errors, summary
from threadmodel._fleet_rows import chosen_of, schema_of, with_run
from threadmodel._fleet_state import wrong_in
from threadmodel.extras import extra
from threadmodel.fleet import Result

DONE: Final = "dataset.json"
UNFINISHED: Final = "unfinished.json"
LOCK: Final = "lock"
# What identifies the state of a file without reading it.
Mark = list[Any]


class Dataset:
    """The summaries so far. One process at a time adds parts."""

    def __init__(self, url: str, *, resume: bool = False) -> None:
        """Open a dataset, or begin one in an empty place.

        Args:
            url: of its folder
            resume: continue where an unfinished job ended; readers do not see its parts

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
        self._is_locked = False
        # Content of both files, as this object read or wrote them.
        self._seen: dict[str, bytes | None] = {DONE: None, UNFINISHED: None}
        is_unfinished = self._load(UNFINISHED) if resume else False
        if is_unfinished:
            self._seen[DONE] = self._content(DONE)
        self.is_new = not is_unfinished and not self._load(DONE)

    @property
    def parts(self) -> tuple[str, ...]:
        """Paths of the parts' folders."""
        return tuple(self._path(part) for part in self._state["parts"])

    @property
    def _next_part(self) -> str:
        return f"part-{len(self._state['parts']):06}"

    @property
    def replaced(self) -> tuple[str, ...]:
        """Runs whose file was read again later: they no longer count."""
        return tuple(self._state["replaced"])

    def has(self, url: str, mark: Mark) -> bool:
        """Return whether a file was read in this state."""
        known = self._state["files"].get(url)
        return known is not None and known["mark"] == mark

    @contextlib.contextmanager
    def writing(self) -> Iterator[None]:
        """Keep other jobs from adding parts meanwhile.

        Raises:
            InputOutputError: another job adds parts, or has since this object was
                made (an OSError)
        """
        if self._is_locked:
            yield
            return
        with self._lock():
            self._is_locked = True
            try:
                self._check_unchanged()
                yield
            finally:
                self._is_locked = False

    @contextlib.contextmanager
    def _lock(self) -> Iterator[None]:
        # An object store has no locks: there, changes by another job are detected.
        if "file" not in self._system.protocol:
            yield
            return
        self._make_folder(self._root)
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
        descriptor = os.open(self._path(LOCK), flags, 0o600)
        try:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise errors.InputOutputError(
                    f"{self._root}: another job is adding files to this dataset"
                ) from None
            yield
        finally:
            os.close(descriptor)

    def _check_unchanged(self) -> None:
        for name in (DONE, UNFINISHED):
            # The file of an unfinished job matters only to a job that continues it.
            if name == UNFINISHED and self._seen[name] is None:
                continue
            if self._content(name) != self._seen[name]:
                raise errors.InputOutputError(
                    f"{self._root}: another job has changed this dataset meanwhile"
                )

    def add(
        self,
        results: Iterable[Result],
        marks: Mapping[str, Mark],
        labels: Mapping[str, Mapping[str, str]],
    ) -> None:
        """Write a part. A file with the content of another one is an error of it.

        Raises:
            InputOutputError: another job adds parts, or has meanwhile (an OSError)
        """
        with self.writing():
            self._check_unchanged()
            self._add(results, marks, labels)

    def _add(
        self,
        results: Iterable[Result],
        marks: Mapping[str, Mark],
        labels: Mapping[str, Mapping[str, str]],
    ) -> None:
        files = self._state["files"]
        runs: list[dict[str, Any]] = []
        failed: list[dict[str, str]] = []
        tables: dict[str, list[Any]] = {}
        urls = {known["run"]: url for url, known in files.items() if known["run"]}
        # A run of an earlier version of a file still has its rows: they count again.
        stored = {*urls, *self._state["replaced"]}
        part = self._next_part
        results = sorted(results)
        # A content that moved to another file belongs to that file.
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
                    tables.setdefault(name, []).append(with_run(stream, run))
        shown = {known["run"] for known in files.values()}
        self._state["replaced"] = sorted(stored - shown)
        self._write(runs, failed, tables)

    def finish(self) -> None:
        """Make all that was added visible at once."""
        with self.writing():
            self._check_unchanged()
            self._store(DONE)
            if self._system.exists(self._path(UNFINISHED)):
                self._system.rm_file(self._path(UNFINISHED))
            self._seen[UNFINISHED] = None

    def summary(self, runs: Iterable[str] | None = None) -> summary.Summary:
        """Merge all runs, or some, into one summary."""
        wanted = None if runs is None else set(runs)
        left_out = set(self.replaced)
        whole: summary.Summary = {}
        for part in self._parts_that_exist():
            with self.damage(part):
                tables = [
                    {name: summary.from_arrow(name, chosen)}
                    for name in summary.TABLES
                    for batch in self._batches(posixpath.join(part, f"{name}.parquet"))
                    if (chosen := chosen_of(batch, wanted, left_out)).num_rows
                ]
                whole = summary.merge([whole, *tables])
        return whole

    def _parts_that_exist(self) -> Iterator[str]:
        for part in self.parts:
            if not self._system.isdir(part):
                raise errors.FormatError(f"{self._root} is damaged: no folder {part}")
            yield part

    @contextlib.contextmanager
    def damage(self, what: str = "") -> Iterator[None]:
        """Report a fault that a library finds in a part as damage of the dataset.

        Raises:
            FormatError: there was one
        """
        theirs = (
            extra("pyarrow").ArrowException,
            extra("fleet", module="duckdb").Error,
            *(KeyError, errors.InvalidArgumentError),
        )
        try:
            yield
        except Exception as failure:
            if not isinstance(failure, theirs):
                raise
            text = " ".join(str(failure).split())
            raise errors.FormatError(
                f"{what or self._root} is damaged: {text:.500}"
            ) from None

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
        with self.damage():
            for name in ("runs", *summary.TABLES):
                if there := self._files_of(name):
                    listed = connection.read_parquet(there, union_by_name=True)
                    listed.filter("run not in (from replaced)").create_view(name)
            if there := self._files_of("errors"):
                connection.register("failed", self._failed())
                tried = connection.read_parquet(there, filename=True)
                tried.set_alias("tried").filter(
                    "exists (from failed where failed.url = tried.url "
                    "and contains(tried.filename, failed.part))"
                ).project("url, error").create_view("errors")
        return connection

    def _files_of(self, name: str) -> list[str]:
        """Return the files of a table, as patterns: DuckDB takes names for such."""
        paths = [f"{part}/{name}.parquet" for part in self._parts_that_exist()]
        return [glob.escape(path) for path in paths if self._has_file(path)]

    def _has_file(self, path: str) -> bool:
        if not self._system.exists(path):
            return False
        if not self._system.isfile(path):
            raise errors.FormatError(f"{path} is not a regular file")
        return True

    def _failed(self) -> Any:
        """Return the files that could not be read, with the place of each error."""
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
        if not self._has_file(path):
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
        self._make_folder(self._path(part))
        whole = {name: pyarrow.concat_tables(some) for name, some in tables.items()}
        if runs:
            whole["runs"] = pyarrow.Table.from_pylist(runs, schema_of(runs))
        if failed:
            whole["errors"] = pyarrow.Table.from_pylist(failed)
        for name, table in whole.items():
            with self._system.open(self._path(f"{part}/{name}.parquet"), "wb") as file:
                parquet.write_table(table, file, compression="zstd")
        self._state["parts"].append(part)
        self._store(UNFINISHED)

    def _make_folder(self, path: str) -> None:
        if "file" in self._system.protocol:
            # Its owner's alone, with all that is in it.
            os.makedirs(path, mode=0o700, exist_ok=True)
        else:
            self._system.makedirs(path, exist_ok=True)

    def _path(self, name: str) -> str:
        return posixpath.join(self._root, name)

    def _content(self, name: str) -> bytes | None:
        path = self._path(name)
        if not self._has_file(path):
            return None
        content: bytes = self._system.cat_file(path)
        return content

    def _load(self, name: str) -> bool:
        path = self._path(name)
        content = self._seen[name] = self._content(name)
        if content is None:
            return False
        try:
            state = json.loads(content)
            version = state["version"]
        except (ValueError, KeyError, TypeError, RecursionError):
            raise errors.FormatError(f"{path} is damaged") from None
        if isinstance(version, int) and version > summary.VERSION:
            raise errors.NewerVersionError(
                f"{path} is of version {version}, and this release reads up to "
                f"{summary.VERSION}"
            )
        wrong = wrong_in(state)
        if wrong:
            raise errors.FormatError(f"{path} is damaged: {wrong} is invalid")
        self._state = state
        return True

    def _store(self, name: str) -> None:
        """Replace a file; a store's objects appear as a whole, a disk's by a rename."""
        content = json.dumps(self._state, sort_keys=True).encode()
        if "file" not in self._system.protocol:
            self._system.pipe_file(self._path(name), content)
        else:
            self._make_folder(self._root)
            self._system.pipe_file(self._path(name + ".new"), content)
            self._system.mv(self._path(name + ".new"), self._path(name))
        self._seen[name] = content
