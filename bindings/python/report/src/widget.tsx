// SPDX-License-Identifier: Apache-2.0
// The timeline in a notebook. What it shows at first comes with it; when its reader looks
// closer, it asks the kernel for the rows of just that part. Or the report of many runs,
// and below it the timeline of a run that it names.
import { signal } from "@preact/signals";
import { render as draw } from "preact";
import { Pack } from "./data/pack";
import { ThreadIndex, threadsOf } from "./data/run";
import { Stacks } from "./data/stacks";
import { isDark } from "./states";
import style from "./style.css";
import { type Detail, type Source, TimelineData } from "./timeline/data";
import { Lanes } from "./timeline/lanes";
import { TimelineState } from "./timeline/state";
import { Timeline } from "./timeline/timeline";

/** The part of anywidget's model that we use. */
interface WidgetModel {
  get(name: "pack"): DataView;
  /** Sections of HTML; empty: the widget shows only a timeline. */
  get(name: "report"): string;
  send(message: Question & { number: number }): void;
  on(event: "msg:custom", heard: Heard): void;
  off(event: "msg:custom", heard: Heard): void;
}

interface TilesQuestion {
  kind: "tiles";
  from_ns: number;
  to_ns: number;
  /** Ids need more digits than a number of JavaScript has. */
  threads: string[];
}

interface RunQuestion {
  kind: "run";
  url: string;
}

type Question = TilesQuestion | RunQuestion;

interface Reply {
  number: number;
  /** Why there is no answer. */
  failure?: string;
}

interface Waiting {
  answered: (pack: Pack) => void;
  refused: (reason: Error) => void;
}

/** A kernel that is busy or gone sends no answer and no error. */
const PATIENCE_MS = { tiles: 20_000, run: 600_000 };

type Heard = (message: Reply, buffers: DataView[]) => void;

function packOf(view: DataView): Pack {
  return new Pack(new Uint8Array(view.buffer, view.byteOffset, view.byteLength));
}

class Kernel {
  private readonly waiting = new Map<number, Waiting>();
  private count = 0;

  constructor(private readonly model: WidgetModel) {
    model.on("msg:custom", this.heard);
  }

  ask(question: Question): Promise<Pack> {
    const number = ++this.count;
    this.model.send({ ...question, number });
    return new Promise((answered, refused) => {
      this.waiting.set(number, { answered, refused });
      const giveUp = () => this.refuse(number, "the kernel is busy or gone");
      setTimeout(giveUp, PATIENCE_MS[question.kind]);
    });
  }

  close(): void {
    this.model.off("msg:custom", this.heard);
  }

  private readonly heard: Heard = (message, buffers) => {
    if (!buffers[0]) return this.refuse(message.number, message.failure ?? "no answer");
    this.waiting.get(message.number)?.answered(packOf(buffers[0]));
    this.waiting.delete(message.number);
  };

  private refuse(number: number, why: string): void {
    this.waiting.get(number)?.refused(new Error(why));
    this.waiting.delete(number);
  }
}

/** @return a function that ends it */
function showTimeline(pack: Pack, kernel: Kernel, body: HTMLElement): () => void {
  const threads = threadsOf(pack.table("threads"));
  const index = new ThreadIndex(threads);
  const source: Source = { threads, index, stacks: new Stacks(pack.table("stacks")) };
  const tile = pack.value<number>("tile_ns");
  if (tile > 0)
    source.more = async (from, to, lanes): Promise<Detail> => {
      const ids = lanes.map((lane) => String(threads[lane]!.id));
      const part = await kernel.ask({
        kind: "tiles",
        from_ns: Math.floor(from),
        to_ns: Math.ceil(to),
        threads: ids,
      });
      const length = part.value<number>("length_ns");
      const finer = part.value<number>("tile_ns");
      const found = new Lanes(part.table("tiles"), index, threads.length, finer, length);
      return { lanes: found, asked: new Set(lanes), from, to };
    };
  const shown = signal<ReadonlySet<number> | null>(null);
  const bright = signal<string | null>(null);
  const state = new TimelineState(new TimelineData(pack, source), shown, bright);
  draw(<Timeline state={state} shown={shown} bright={bright} />, body);
  return () => draw(null, body);
}

/** The kernel has escaped all text in the report. @return a function that ends it */
function showReport(report: string, kernel: Kernel, body: HTMLElement): () => void {
  const page = document.createElement("main");
  const run = document.createElement("section");
  page.className = "still";
  page.innerHTML = report;
  body.append(page);
  let close = () => {};
  let chosen = 0;

  async function open(url: string): Promise<void> {
    const number = ++chosen;
    const title = document.createElement("h2");
    const status = document.createElement("p");
    close();
    close = () => {};
    title.textContent = url;
    status.setAttribute("role", "status");
    run.replaceChildren(title, status);
    page.append(run);
    status.textContent = "reading …";
    try {
      const pack = await kernel.ask({ kind: "run", url });
      if (number !== chosen) return;
      const timeline = document.createElement("div");
      status.remove();
      run.append(timeline);
      close = showTimeline(pack, kernel, timeline);
    } catch (failure) {
      if (number === chosen) status.textContent = (failure as Error).message;
    }
  }

  page.addEventListener("click", (event) => {
    const link = (event.target as Element).closest('a[href="#run"]');
    if (!link) return;
    event.preventDefault();
    void open(link.textContent ?? "");
  });
  return () => {
    chosen++;
    close();
    page.remove();
  };
}

function render({ model, el }: { model: WidgetModel; el: HTMLElement }): () => void {
  const kernel = new Kernel(model);
  const host = document.createElement("div");
  host.dataset["theme"] = isDark() ? "dark" : "light";
  // JupyterLab must not get our keys: for it, d twice deletes the cell.
  host.dataset["lmSuppressShortcuts"] = "true";
  el.append(host);
  // The notebook's styles do not apply inside, nor ours outside.
  const root = host.attachShadow({ mode: "open" });
  const sheet = document.createElement("style");
  sheet.textContent = style;
  const body = document.createElement("div");
  root.append(sheet, body);
  const report = model.get("report");
  const close = report
    ? showReport(report, kernel, body)
    : showTimeline(packOf(model.get("pack")), kernel, body);
  return () => {
    close();
    kernel.close();
  };
}

export default { render };
