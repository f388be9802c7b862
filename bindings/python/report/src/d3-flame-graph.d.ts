// SPDX-License-Identifier: Apache-2.0
// Types of the part of d3-flame-graph that we use. The package has none of its own.
declare module "d3-flame-graph" {
  import type { Selection } from "d3-selection";

  type Of<D, T> = (node: { data: D }) => T;

  export interface Chart<D> {
    (selection: Selection<HTMLDivElement, D, null, undefined>): void;
    width(pixels: number): this;
    cellHeight(pixels: number): this;
    minFrameSize(pixels: number): this;
    transitionDuration(ms: number): this;
    inverted(on: boolean): this;
    sort(on: boolean): this;
    getName(name: Of<D, string>): this;
    label(text: Of<D, string>): this;
    setColorMapper(colour: (node: { data: D; highlight?: boolean }) => string): this;
    onHover(tell: Of<D, void>): this;
    onClick(tell: Of<D, void>): this;
    setSearchMatch(match: (node: { data: D }, term: string) => boolean): this;
    search(term: string): void;
    clear(): void;
    resetZoom(): void;
    destroy(): void;
  }
  export default function flamegraph<D>(): Chart<D>;
}
