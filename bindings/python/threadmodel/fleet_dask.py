# SPDX-License-Identifier: Apache-2.0
"""Summing up many files with Dask, on this machine or on the user's cluster."""

import contextlib
import csv
import io
import itertools
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

from threadmodel import errors
from threadmodel.extras import extra
from threadmodel.fleet import (
    FACTS,
    Limits,
    Result,
    labels_of,
    summarize_url,
)
from threadmodel.fleet_dataset import Dataset, Mark

# Runs in a part. At some 100 kB a run, parts have a size that query engines like.
PART: Final = 256
# Tasks that are queued for each worker, so that it is never idle.
AHEAD: Final = 4
# Retries of a task whose worker was killed; a task that kills workers is given up.
RETRIES: Final = 2
# The largest table of labels.
MOST_LABELS_BYTES: Final = 256 << 20
# The mark of a file whose name is not UTF-8.
NOT_UTF8: Final = "the name is not UTF-8"
_DEATHS: Final = "distributed.scheduler.allowed-failures"
Progress = Callable[[int, int], object]


@contextlib.contextmanager
def connected(
    scheduler: str | None, workers: int | None, memory_bytes: int
) -> Iterator[Any]:
    """Lend a ``distributed.Client``.

    Args:
        scheduler: address of the user's own cluster; None: one on this machine
        workers: processes here; None: as many as processors
        memory_bytes: of each; one that needs more is started anew
    """
    distributed = extra("fleet", module="distributed")
    if scheduler:
        with distributed.Client(scheduler) as client:
            yield client
        return
    workers = workers or extra("fleet", module="dask.system").CPU_COUNT
    with (
        # The files of a worker that was killed are tried again, one by one, below.
        extra("fleet", module="dask").config.set({_DEATHS: 0}),
        distributed.LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            memory_limit=memory_bytes,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        # The nanny gives up a worker that dies while it starts.
        cluster.adapt(minimum=workers, maximum=workers)
        yield client


def find(urls: Iterable[str]) -> dict[str, Mark]:
    """Return the files that URLs name, with size and time: globs, folders, files.

    A file that does not exist is among them, and will be an error of the dataset; so
    will one whose name is not UTF-8, with its other bytes as ``\\xff``.

    Raises:
        MissingFileError: a glob or a folder without a file
        InvalidArgumentError: nothing here reads such URLs
    """
    fsspec = extra("fleet", module="fsspec")
    found: dict[str, Mark] = {}
    for url in urls:
        try:
            system, path = fsspec.core.url_to_fs(url)
        except (ImportError, ValueError) as failure:
            raise errors.InvalidArgumentError(f"{url}: {failure}") from None
        if fsspec.utils.get_protocol(url) == "file":
            full = str
        else:
            full = system.unstrip_protocol
        # The name of a file may contain these characters.
        if any(sign in path for sign in "*?[") and not system.exists(path):
            paths = [one for one in system.glob(path) if not system.isdir(one)]
        elif system.isdir(path):
            paths = system.find(path)
        else:
            paths = [path]
        if not paths:
            raise errors.MissingFileError(f"{url}: no file")
        for one in paths:
            name = full(one)
            if _is_utf8(name):
                found[name] = _mark(system, one)
            else:
                shown = os.fsencode(name).decode(errors="backslashreplace")
                found[shown] = [NOT_UTF8]
    return dict(sorted(found.items()))


def _is_utf8(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _mark(system: Any, path: str) -> Mark:
    try:
        facts = system.info(path)
    except OSError:
        return []
    times = (facts.get(name) for name in ("ETag", "mtime", "LastModified"))
    return [facts.get("size"), next((str(time) for time in times if time), "")]


def read_labels(path: str) -> dict[str, dict[str, str]]:
    """Read a CSV file: a column ``url``, the others are labels of that file.

    Raises:
        MissingFileError: there is no such file
        InvalidArgumentError: it is no such table, or a file is in it twice
    """
    fsspec = extra("fleet", module="fsspec")
    try:
        with fsspec.open(path, "rb") as file:
            content = file.read(MOST_LABELS_BYTES + 1)
            if len(content) > MOST_LABELS_BYTES:
                raise errors.InvalidArgumentError(
                    f"{path}: larger than {MOST_LABELS_BYTES} bytes"
                )
            text = io.StringIO(content.decode("utf-8-sig"), newline="")
            reader = csv.DictReader(text, strict=True)
            rows = list(reader)
            names = list(reader.fieldnames or ())
    except FileNotFoundError:
        raise errors.MissingFileError(f"{path}: no such file") from None
    except (UnicodeDecodeError, csv.Error) as failure:
        raise errors.InvalidArgumentError(f"{path}: {failure}") from None
    if "url" not in names:
        raise errors.InvalidArgumentError(f"{path}: no column url")
    names.remove("url")
    _check_names(names, path)
    found: dict[str, dict[str, str]] = {}
    for number, row in enumerate(rows, 2):
        if None in row or None in row.values():
            raise errors.InvalidArgumentError(
                f"{path}: row {number} has not {len(names) + 1} fields"
            )
        url = row.pop("url")
        if url in found:
            raise errors.InvalidArgumentError(f"{path}: {url} is in it twice")
        found[url] = row
    return found


def labels_by(
    urls: Iterable[str], pattern: str | None, listed: Mapping[str, Mapping[str, str]]
) -> dict[str, dict[str, str]]:
    """Return the labels of each file: the list takes precedence over the pattern.

    Raises:
        InvalidArgumentError: a file is not of the pattern, or a label is a fact's name
    """
    return {
        url: {**(labels_of(url, pattern) if pattern else {}), **listed.get(url, {})}
        for url in urls
    }


def _check_names(names: list[str], where: str) -> None:
    """Refuse labels that are not valid column names, or are names of facts."""
    for name in names:
        if name in FACTS:
            raise errors.InvalidArgumentError(
                f"{where}: a label cannot have the name of a fact, {name}"
            )
        if not name or names.count(name) > 1:
            raise errors.InvalidArgumentError(
                f"{where}: label {name!r} is not a valid name"
            )


def summarize(
    marks: Mapping[str, Mark],
    dataset: Dataset,
    labels: Mapping[str, Mapping[str, str]],
    client: Any,
    *,
    limits: Limits = Limits(),  # noqa: B008
    progress: Progress | None = None,
) -> tuple[int, int]:
    """Add files to a dataset that it does not have yet.

    Args:
        marks: of the files, see :func:`find`
        dataset: becomes visible when all are in it
        labels: of each file
        client: a ``distributed.Client``
        limits: of each file
        progress: called with the number of files that are done, and of all

    Returns:
        how many files were read, and how many could not be

    Raises:
        InputOutputError: the scheduler is gone; what was read stays. Or another job
            adds files to the dataset (an OSError)
    """
    with dataset.writing():
        urls = [url for url, mark in marks.items() if not dataset.has(url, mark)]
        unnamed = [url for url in urls if marks[url] == [NOT_UTF8]]
        named = [url for url in urls if marks[url] != [NOT_UTF8]]
        results = itertools.chain(
            (Result(url, "", NOT_UTF8, "", {}) for url in unnamed),
            _connected(_results(named, client, limits)),
        )
        part: list[Result] = []
        failed = 0
        for done, result in enumerate(results, 1):
            part.append(result)
            failed += bool(result.error)
            if len(part) == PART:
                dataset.add(part, marks, labels)
                part = []
            if progress is not None:
                progress(done, len(urls))
        if part:
            dataset.add(part, marks, labels)
        dataset.finish()
        return len(urls) - failed, failed


def _connected(results: Iterator[Result]) -> Iterator[Result]:
    """Yield results; turn Dask's errors after the loss of its scheduler into one."""
    distributed = extra("fleet", module="distributed")
    lost = (distributed.CancelledError, distributed.comm.CommClosedError)
    try:
        yield from results
    except lost as failure:
        raise errors.InputOutputError(
            "the connection to the scheduler was lost: the same command goes on"
        ) from failure


def _results(urls: list[str], client: Any, limits: Limits) -> Iterator[Result]:
    """Yield the result of each file as soon as it is there."""
    distributed = extra("fleet", module="distributed")
    waiting = iter(urls)
    workers = max(1, len(client.scheduler_info()["workers"]))
    of: dict[Any, str] = {}

    def submit(url: str) -> Any:
        future = client.submit(summarize_url, url, limits, pure=False, retries=RETRIES)
        of[future.key] = url
        return future

    first = [submit(url) for url in itertools.islice(waiting, AHEAD * workers)]
    pending = distributed.as_completed(first)
    suspects = []
    for future in pending:
        url = of.pop(future.key)
        if isinstance(future.exception(), distributed.KilledWorker):
            # This file, or another one of the same worker, has killed it.
            suspects.append(url)
        else:
            yield _result(url, future)
        future.release()
        for url in waiting:
            pending.add(submit(url))
            break
    for url in sorted(suspects):
        future = submit(url)
        distributed.wait(future)
        yield _result(url, future)


def _result(url: str, future: Any) -> Result:
    failure = future.exception()
    if isinstance(failure, errors.MissingExtraError):
        raise failure
    if failure is not None:
        return Result(url, "", f"{type(failure).__name__}: {failure}", "", {})
    result: Result = future.result()
    return result
