// SPDX-License-Identifier: Apache-2.0
// Lock order as a picture: in ranks from left to right, so that it is read like
// text, and with boxes as wide as their names. A wide one is scrolled, not shrunk.
import { Graph as Layout, layout } from "@dagrejs/dagre";
import { useMemo } from "preact/hooks";
import { clean, count, number, short } from "../format";

export interface Edge {
  held: string;
  wanted: string;
  count: number;
  cyclic: boolean;
  inferred: boolean;
}

interface Box {
  name: string;
  x: number;
  y: number;
  width: number;
}

interface Placed {
  boxes: Box[];
  lines: { edge: Edge; path: string }[];
  width: number;
  height: number;
}

/** The most letters of a name that are shown, and the approximate width of one. */
const LETTERS = 36;
const LETTER = 7.2;
const HEIGHT = 28;
const MARGIN = 12;

function labelOf(name: string): string {
  const label = short(name);
  return label.length > LETTERS ? `${label.slice(0, LETTERS - 1)}…` : label;
}

function place(nodes: readonly string[], edges: readonly Edge[]): Placed {
  const graph = new Layout();
  graph.setGraph({
    rankdir: "LR",
    nodesep: 22,
    ranksep: 70,
    marginx: MARGIN,
    marginy: MARGIN,
  });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const name of nodes)
    graph.setNode(name, { width: labelOf(name).length * LETTER + 20, height: HEIGHT });
  for (const { held, wanted } of edges) graph.setEdge(held, wanted);
  layout(graph);
  const { width = 0, height = 0 } = graph.graph();
  return {
    boxes: nodes.map((name) => {
      const { x, y, width } = graph.node(name);
      return { name, x, y, width };
    }),
    lines: edges.map((edge) => {
      const { points } = graph.edge(edge.held, edge.wanted);
      const path = points.map(({ x, y }: { x: number; y: number }) => `${x} ${y}`).join("L");
      return { edge, path: `M${path}` };
    }),
    width,
    height,
  };
}

export function Graph({ nodes, edges }: { nodes: readonly string[]; edges: readonly Edge[] }) {
  const { boxes, lines, width, height } = useMemo(() => place(nodes, edges), [nodes, edges]);
  const most = Math.max(...edges.map((edge) => edge.count), 1);
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Graph of lock order">
      <svg
        class="diagram order"
        width={width}
        height={height}
        role="img"
        aria-label={`Graph of lock order: ${count(nodes.length, "lock")}, ${count(edges.length, "arrow")}; the cycles are listed below`}>
        <defs>
          <marker
            id="order-head"
            viewBox="0 0 10 10"
            refX="9"
            refY="5"
            markerWidth="7"
            markerHeight="7"
            markerUnits="userSpaceOnUse"
            orient="auto">
            <path d="M0 0 10 5 0 10z" fill="context-stroke" />
          </marker>
        </defs>
        {lines.map(({ edge, path }) => (
          <path
            key={`${edge.held}\u0001${edge.wanted}`}
            d={path}
            class={edge.cyclic ? "edge cyclic" : "edge"}
            marker-end="url(#order-head)"
            stroke-width={1 + 2 * Math.sqrt(edge.count / most)}
            stroke-dasharray={edge.inferred ? "6 4" : undefined}>
            <title>
              {`${clean(edge.held)} held, ${clean(edge.wanted)} wanted: ${number(edge.count)} times`}
            </title>
          </path>
        ))}
        {boxes.map(({ name, x, y, width: wide }) => (
          <g key={name}>
            <rect
              class="lock"
              x={x - wide / 2}
              y={y - HEIGHT / 2}
              width={wide}
              height={HEIGHT}
              rx={6}
            />
            <text x={x} y={y + 4} text-anchor="middle" class="name">
              {labelOf(name)}
              <title>{clean(name)}</title>
            </text>
          </g>
        ))}
      </svg>
    </div>
  );
}
