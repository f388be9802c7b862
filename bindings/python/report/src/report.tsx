// SPDX-License-Identifier: Apache-2.0
// The HTML report, or that of two runs: unpack the data of the page and draw it.
import "./style.css";
import { render } from "preact";
import { followAddress } from "./address";
import { App } from "./app";
import { embedded } from "./data/pack";
import { Run } from "./data/run";
import { showPair } from "./pair";

async function start(): Promise<void> {
  const pair = document.getElementById("pair");
  if (pair) {
    await showPair(pair);
    document.documentElement.dataset["ready"] = "all";
    return;
  }
  const host = document.getElementById("report")!;
  // The timeline has most of the data, and is not visible at first.
  const answers = await embedded("pack-answers");
  const timeline = embedded("pack-timeline");
  host.replaceChildren();
  const run = new Run(answers);
  followAddress(run);
  render(<App run={run} timeline={timeline} />, host);
  document.documentElement.dataset["ready"] = "answers";
  await timeline;
  document.documentElement.dataset["ready"] = "all";
}

start().catch((error: unknown) => {
  const note = document.createElement("p");
  note.className = "failure";
  note.setAttribute("role", "alert");
  note.textContent = `This report cannot be shown: ${String(error)}`;
  document.body.prepend(note);
});
