# SPDX-License-Identifier: Apache-2.0
"""A JupyterLab of our own, on the loopback interface, with nothing of the user's."""

import json
import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType

from playwright.sync_api import Page

from notebooks import environment

SETTINGS = {
    "apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
    # Cells that are out of sight are there all the same.
    "notebook-extension/tracker": {"windowingMode": "none"},
}
# Runs every cell of the notebook that is open, once its kernel is there.
RUN_ALL = """async () => {
    const app = window.jupyterapp;
    await app.restored;
    const { context, sessionContext } = app.shell.currentWidget;
    await context.ready;
    await sessionContext.ready;
    await app.commands.execute('notebook:run-all-cells');
}"""


class Lab:
    """A running server; notebooks in ``folder`` can be opened."""

    def __init__(self, folder: Path, home: Path, search: Path) -> None:
        """Start it, and wait until it says where it is."""
        self.folder = folder
        self.log = home / "log"
        for name, values in SETTINGS.items():
            path = home / f"settings/@jupyterlab/{name}.jupyterlab-settings"
            path.parent.mkdir(parents=True)
            path.write_text(json.dumps(values))
        variables = environment()
        variables["PYTHONPATH"] += f":{search}"
        for name in ("CONFIG", "DATA", "RUNTIME"):
            variables[f"JUPYTER_{name}_DIR"] = str(home / name.lower())
        variables["JUPYTERLAB_SETTINGS_DIR"] = str(home / "settings")
        variables["JUPYTERLAB_WORKSPACES_DIR"] = str(home / "workspaces")
        variables["IPYTHONDIR"] = str(home / "ipython")
        with self.log.open("wb") as log:
            self._server = subprocess.Popen(
                [
                    *(sys.executable, "-m", "jupyterlab", "--no-browser"),
                    *("--allow-root", "--ServerApp.ip=127.0.0.1"),
                    *("--ServerApp.port=0", f"--ServerApp.root_dir={folder}"),
                    "--LabApp.expose_app_in_browser=True",
                    "--LabApp.extension_manager=readonly",
                ],
                env=variables,
                stdout=log,
                stderr=log,
                stdin=subprocess.DEVNULL,
            )
        facts = home / f"runtime/jpserver-{self._server.pid}.json"
        while not (facts.is_file() and facts.read_text().endswith("}")):
            assert self._server.poll() is None, self.log.read_text()
            time.sleep(0.1)
        self._facts = json.loads(facts.read_text())

    def open(self, page: Page, name: str) -> None:
        """Show a notebook of the folder, and nothing that was open before."""
        url, token = self._facts["url"], self._facts["token"]
        page.goto(f"{url}doc/tree/{name}?token={token}")
        page.wait_for_selector(".jp-Notebook .jp-Cell")

    def __enter__(self) -> "Lab":
        """Run until the end of the block."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Stop the server, which stops its kernels."""
        self._server.terminate()
        self._server.wait()
