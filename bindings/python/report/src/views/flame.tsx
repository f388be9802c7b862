// SPDX-License-Identifier: Apache-2.0
// A flame graph of the time for which threads were blocked, by call stack.
import { signal } from "@preact/signals";
import flamegraph, { type Chart } from "d3-flame-graph";
import { select } from "d3-selection";
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { Run } from "../data/run";
import { CUT, LEFT_OUT, Stacks } from "../data/stacks";
import { clean, count, duration, percent, short } from "../format";
import { scheme } from "../scheme";
import { BLOCKING_STATES, type BlockingState, BY_NAME, colour, STATES } from "../states";
import { Swatch } from "../timeline/swatch";

interface Frame {
  name: string;
  value: number;
  children: Frame[];
}

/** Whose stacks, and what is on top of them. */
type Side = "outermost" | "innermost" | "owners";

const SIDES: readonly (readonly [Side, string])[] = [
  ["outermost", "Callers first"],
  ["innermost", "Where it blocked first"],
  ["owners", "Owners of the locks"],
];
const side = signal<Side>("outermost");

/** What the reader chose; null: nothing yet. */
const states = signal<ReadonlySet<BlockingState> | null>(null);
/** Of these the one in which most time was spent is shown at first. */
const FIRST: readonly (readonly BlockingState[])[] = [
  ["blocked", "reentering"],
  ["waiting"],
  ["parked"],
  ["io"],
];
const CELL_HEIGHT = 20;
/** Grey: what lies below is no call of what lies above. */
const CUT_FILL = "#9aa3b2";
/** Frames thinner than this, in pixels, are not drawn. */
const THINNEST = 0.5;

/** Time of all stacks in these states, but that of workers without work. */
function timeIn(run: Run, chosen: Iterable<BlockingState>, ofIdle = false): number {
  const table = run.table("flame");
  const isIdle = table.numbers("idle");
  let sum = 0;
  for (const state of chosen)
    table.numbers(`${state}_total_ns`).forEach((time, row) => {
      if ((isIdle[row] === 1) === ofIdle) sum += time;
    });
  return sum;
}

function atFirst(run: Run): ReadonlySet<BlockingState> {
  const sums = FIRST.map((of) => timeIn(run, of));
  return new Set(FIRST[sums.indexOf(Math.max(...sums))]);
}

/** Frames that are the same and have the same frames above them are one. */
class Tree {
  readonly root: Frame = { name: "all stacks", value: 0, children: [] };
  private readonly below = new Map<Frame, Map<string, Frame>>();

  add(names: readonly string[], value: number): void {
    let at = this.root;
    at.value += value;
    for (const name of names) {
      const children = this.below.get(at) ?? new Map<string, Frame>();
      this.below.set(at, children);
      let child = children.get(name);
      if (!child) {
        child = { name, value: 0, children: [] };
        children.set(name, child);
        at.children.push(child);
      }
      child.value += value;
      at = child;
    }
  }
}

/** Where owners acquired the locks for which others were blocked, and who they were. */
function buildOwners(run: Run): Frame {
  const table = run.table("blame");
  const tree = new Tree();
  const totals = table.rows ? table.numbers("total_ns") : [];
  for (let row = 0; row < table.rows; row++) {
    const owner = table.text("owner", row);
    const method = table.text("owner_method", row);
    const names = [
      table.text("class", row) ?? "(class not known)",
      method ?? (owner === null ? "(nobody, or not known)" : "(place not known)"),
      ...(owner === null ? [] : [owner]),
    ];
    if (totals[row]! > 0) tree.add(names, totals[row]!);
  }
  return tree.root;
}

function build(
  run: Run,
  stacks: Stacks,
  chosen: ReadonlySet<BlockingState>,
  isInnermostFirst: boolean,
): Frame {
  const table = run.table("flame");
  const isIdle = table.numbers("idle");
  const tree = new Tree();
  for (let row = 0; row < table.rows; row++) {
    if (isIdle[row]) continue;
    let value = 0;
    for (const state of chosen) value += table.numbers(`${state}_total_ns`)[row]!;
    if (!value) continue;
    const rows = stacks.rows(table.number("stack", row));
    const frames = rows.map((at) => stacks.method(at));
    if (stacks.isCut(rows)) frames.push(CUT);
    if (stacks.isLeftOut(table.number("stack", row))) frames.push(LEFT_OUT);
    if (!isInnermostFirst) frames.reverse();
    tree.add(frames.length ? frames : ["(no stack)"], value);
  }
  return tree.root;
}

export function FlameView({ run }: { run: Run }) {
  const stacks = useMemo(() => new Stacks(run.table("stacks")), [run]);
  const first = useMemo(() => atFirst(run), [run]);
  const chosen = states.value ?? first;
  const ofOwners = side.value === "owners";
  const idle = ofOwners ? 0 : timeIn(run, chosen, true);
  const isInnermostFirst = side.value === "innermost";
  const root = useMemo(
    () => (ofOwners ? buildOwners(run) : build(run, stacks, chosen, isInnermostFirst)),
    [run, stacks, chosen, ofOwners, isInnermostFirst],
  );
  const turn = (state: BlockingState) => {
    const next = new Set(chosen);
    if (!next.delete(state)) next.add(state);
    states.value = next;
  };
  const table = run.table(ofOwners ? "blame" : "flame");
  return (
    <section class="flame" aria-labelledby="flame-title">
      <h2 id="flame-title">
        {ofOwners ? "Time blocked, by owner of the lock" : "Time blocked, by call stack"}{" "}
        <span class="aside">{duration(root.value)}</span>
      </h2>
      <div class="controls" role="group" aria-label="Sides">
        {SIDES.map(([name, title]) => (
          <button
            key={name}
            type="button"
            aria-pressed={side.value === name}
            onClick={() => {
              side.value = name;
            }}>
            {title}
          </button>
        ))}
      </div>
      {ofOwners ? (
        <p class="note">
          Below the class of a lock: where its owner acquired it while others were blocked, and
          the owner.
        </p>
      ) : (
        <div class="controls" role="group" aria-label="States">
          {BLOCKING_STATES.map((state) => (
            <button
              key={state}
              type="button"
              aria-pressed={chosen.has(state)}
              onClick={() => turn(state)}>
              <Swatch state={BY_NAME.get(state)!} /> {STATES[BY_NAME.get(state)!]!.label}
            </button>
          ))}
        </div>
      )}
      {root.value ? (
        <Flames root={root} fill={colour(BY_NAME.get([...chosen][0]!)!)} />
      ) : (
        <p class="calm">No thread was in this state.</p>
      )}
      {idle ? (
        <p class="note">Without {duration(idle)} of idle workers, which waited for work.</p>
      ) : null}
      {table.total > table.rows ? (
        <p class="note">
          {count(table.total - table.rows, ofOwners ? "more owner" : "more stack")} not in this
          file.
        </p>
      ) : null}
    </section>
  );
}

function Flames({ root, fill }: { root: Frame; fill: string }) {
  const host = useRef<HTMLDivElement>(null);
  const chart = useRef<Chart<Frame> | null>(null);
  const told = useRef<HTMLParagraphElement>(null);
  const dark = scheme.value;
  useEffect(() => {
    const element = host.current!;
    const tell = (frame: Frame) => {
      told.current!.textContent = `${clean(frame.name)}: ${duration(frame.value)}, ${percent(frame.value / root.value)}`;
    };
    const graph = flamegraph<Frame>()
      .width(Math.max(element.clientWidth, 320))
      .cellHeight(CELL_HEIGHT)
      .minFrameSize(THINNEST)
      .transitionDuration(0)
      .inverted(true)
      .sort(true)
      .getName(({ data }) => short(data.name))
      .label(
        ({ data }) =>
          `${clean(data.name)}: ${duration(data.value)}, ${percent(data.value / root.value)}`,
      )
      .setColorMapper(({ data }) =>
        [CUT, LEFT_OUT].includes(data.name) ? CUT_FILL : shade(fill, data.name),
      )
      // Its own takes the term for a regular expression, which names of classes are not.
      .setSearchMatch(({ data }, term) => data.name.toLowerCase().includes(term.toLowerCase()))
      .onHover(({ data }) => tell(data))
      .onClick(({ data }) => tell(data));
    chart.current = graph;
    select(element).datum(structuredClone(root)).call(graph);
    makeReachable(element, tell);
    return () => {
      graph.destroy();
      element.replaceChildren();
    };
  }, [root, fill, dark]);
  return (
    <>
      <div class="controls">
        <label>
          Search
          <input
            type="search"
            onInput={(event) => {
              const { value } = event.currentTarget;
              if (value) chart.current?.search(value);
              else chart.current?.clear();
            }}
          />
        </label>
        <button type="button" onClick={() => chart.current?.resetZoom()}>
          Show all
        </button>
      </div>
      <p class="note" ref={told} aria-live="polite">
        Click a frame, or press Enter on it, to see it in full width.
      </p>
      <div class="flames" ref={host} data-total={root.value} />
    </>
  );
}

/** Frames take the focus one at a time: arrows go to parents, children and neighbours. */
function makeReachable(host: HTMLElement, tell: (frame: Frame) => void): void {
  const frames = () => [...host.querySelectorAll<SVGGElement>("g.frame")];
  const node = (element: Element) => select<Element, FrameNode>(element).datum();
  const focus = (element: SVGGElement | undefined) => {
    if (!element) return;
    for (const other of frames()) other.setAttribute("tabindex", "-1");
    element.setAttribute("tabindex", "0");
    element.focus();
    tell(node(element).data);
  };
  host.querySelector("svg")?.setAttribute("role", "tree");
  host.querySelector("svg")?.setAttribute("aria-label", "Call stacks, outermost first");
  frames().forEach((element, at) => {
    element.setAttribute("role", "treeitem");
    element.setAttribute("tabindex", at ? "-1" : "0");
    const { data, depth } = node(element);
    element.setAttribute("aria-level", String(depth + 1));
    element.setAttribute("aria-label", `${clean(data.name)}: ${duration(data.value)}`);
  });
  host.addEventListener("keydown", (event) => {
    const element = (event.target as Element).closest<SVGGElement>("g.frame");
    if (!element) return;
    const at = node(element);
    const find = (wanted: FrameNode | undefined) =>
      wanted && frames().find((other) => node(other) === wanted);
    const beside = (step: number) =>
      at.parent?.children?.[at.parent.children.indexOf(at) + step];
    const to = {
      ArrowDown: () => find(at.children?.[0]),
      ArrowUp: () => find(at.parent ?? undefined),
      ArrowRight: () => find(beside(1)),
      ArrowLeft: () => find(beside(-1)),
    }[event.key];
    if (to) {
      event.preventDefault();
      focus(to());
    } else if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      element.dispatchEvent(new MouseEvent("click", { bubbles: true }));
    }
  });
}

interface FrameNode {
  data: Frame;
  depth: number;
  parent: FrameNode | null;
  children?: FrameNode[];
}

/** The state's colour, a little lighter or darker by name, so that neighbours differ. */
function shade(fill: string, name: string): string {
  let hash = 0;
  for (let i = 0; i < Math.min(name.length, 200); i++)
    hash = (hash * 31 + name.charCodeAt(i)) | 0;
  return `color-mix(in oklab, ${fill} ${62 + (Math.abs(hash) % 30)}%, #fff)`;
}
