// SPDX-License-Identifier: Apache-2.0
// A tree of times as a flame graph: it zooms, is searched, and is reachable by keyboard.
import flamegraph, { type Chart } from "d3-flame-graph";
import { select } from "d3-selection";
import { useEffect, useRef } from "preact/hooks";
import { clean } from "../format";
import { scheme } from "../scheme";

export interface Frame {
  name: string;
  value: number;
  children: Frame[];
}

interface Props {
  root: Frame;
  /** Colour of a frame; as the others, the same function until the frames change. */
  fill: (frame: Frame) => string;
  /** The text of a frame. */
  name: (frame: Frame) => string;
  /** Its figures. */
  figures: (frame: Frame) => string;
  /** The subject of the graph, for screen readers. */
  label: string;
}

const CELL_HEIGHT = 20;
/** Frames that a search finds. */
const SEARCHED = "#e600e6";
/** Frames thinner than this, in pixels, are not drawn. */
const THINNEST = 0.5;

export function Flames({ root, fill, name, figures, label }: Props) {
  const host = useRef<HTMLDivElement>(null);
  const chart = useRef<Chart<Frame> | null>(null);
  const said = useRef<HTMLParagraphElement>(null);
  /** The frame that the search went to last. */
  const hit = useRef(-1);
  const dark = scheme.value;
  useEffect(() => {
    const element = host.current!;
    const tell = (frame: Frame) => {
      said.current!.textContent = `${clean(frame.name)}: ${figures(frame)}`;
    };
    const graph = flamegraph<Frame>()
      .width(Math.max(element.clientWidth, 320))
      .cellHeight(CELL_HEIGHT)
      .minFrameSize(THINNEST)
      .transitionDuration(0)
      .inverted(true)
      .sort(true)
      .getName(({ data }) => name(data))
      .label(({ data }) => `${clean(data.name)}: ${figures(data)}`)
      .setColorMapper(({ data, highlight }) => (highlight ? SEARCHED : fill(data)))
      // The library's own search takes the term as a regular expression.
      .setSearchMatch(({ data }, term) => isFound(data, term))
      .onHover(({ data }) => tell(data))
      .onClick(({ data }) => tell(data));
    chart.current = graph;
    select(element).datum(structuredClone(root)).call(graph);
    makeReachable(element, label, figures, tell);
    return () => {
      graph.destroy();
      element.replaceChildren();
    };
  }, [root, fill, name, figures, label, dark]);
  const find = (term: string, step: number) => {
    const frames = [...host.current!.querySelectorAll<SVGGElement>("g.frame")];
    const hits = frames.filter((element) => isFound(dataOf(element).data, term));
    if (!term || !hits.length) {
      said.current!.textContent = term ? "not found" : "";
      return;
    }
    hit.current = (hit.current + step + hits.length) % hits.length;
    const element = hits[hit.current]!;
    element.scrollIntoView({ block: "nearest" });
    const { data } = dataOf(element);
    said.current!.textContent = `${hit.current + 1} of ${hits.length}, ${clean(data.name)}: ${figures(data)}`;
  };
  return (
    <>
      <div class="controls">
        <label>
          Search
          <input
            type="search"
            onInput={(event) => {
              const { value } = event.currentTarget;
              hit.current = -1;
              if (value) chart.current?.search(value);
              else chart.current?.clear();
            }}
            onKeyDown={(event) => {
              if (event.key !== "Enter") return;
              event.preventDefault();
              find(event.currentTarget.value.trim(), event.shiftKey ? -1 : 1);
            }}
          />
        </label>
        <button type="button" onClick={() => chart.current?.resetZoom()}>
          Show all
        </button>
      </div>
      <p class="note" ref={said} aria-live="polite">
        Click a frame, or press Enter on it, to see it in full width. Enter in the search goes
        to the next frame that it finds.
      </p>
      <div class="flames" ref={host} data-total={root.value} />
    </>
  );
}

function isFound(frame: Frame, term: string): boolean {
  return frame.name.toLowerCase().includes(term.toLowerCase());
}

function dataOf(element: Element): FrameNode {
  return select<Element, FrameNode>(element).datum();
}

/** Frames take the focus one at a time: arrows go to parents, children and neighbours. */
function makeReachable(
  host: HTMLElement,
  label: string,
  figures: (frame: Frame) => string,
  tell: (frame: Frame) => void,
): void {
  const frames = () => [...host.querySelectorAll<SVGGElement>("g.frame")];
  const node = dataOf;
  const focus = (element: SVGGElement | undefined) => {
    if (!element) return;
    for (const other of frames()) other.setAttribute("tabindex", "-1");
    element.setAttribute("tabindex", "0");
    element.focus();
    tell(node(element).data);
  };
  host.querySelector("svg")?.setAttribute("role", "tree");
  host.querySelector("svg")?.setAttribute("aria-label", label);
  frames().forEach((element, at) => {
    element.setAttribute("role", "treeitem");
    element.setAttribute("tabindex", at ? "-1" : "0");
    const { data, depth } = node(element);
    element.setAttribute("aria-level", String(depth + 1));
    element.setAttribute("aria-label", `${clean(data.name)}: ${figures(data)}`);
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
