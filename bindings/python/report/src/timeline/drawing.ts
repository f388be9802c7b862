// SPDX-License-Identifier: Apache-2.0
// Small functions for drawing on a canvas.

/** Cut a text so that it fits, in pixels. */
export function fit(context: CanvasRenderingContext2D, text: string, width: number): string {
  const cut = text.length > 200 ? text.slice(0, 200) : text;
  if (context.measureText(cut).width <= width) return cut;
  let low = 0;
  let high = cut.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (context.measureText(`${cut.slice(0, middle)}…`).width <= width) low = middle;
    else high = middle - 1;
  }
  return low ? `${cut.slice(0, low)}…` : "";
}

/** Cut a name in its middle so that it fits: numbers at its end tell threads apart. */
export function fitMiddle(
  context: CanvasRenderingContext2D,
  name: string,
  width: number,
): string {
  if (context.measureText(name).width <= width) return name;
  const tail = name.slice(-10);
  const room = width - context.measureText(tail).width;
  return fit(context, name.slice(0, -10), room) + tail;
}

/** 1, 2 or 5 times a power of ten, at least this. */
export function niceStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(least, 1)));
  return power * ([1, 2, 5, 10].find((times) => times * power >= least) ?? 10);
}

/** Black or white, whichever reads better on a colour. */
export function readable(hex: string): string {
  const [r, g, b] = [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16) / 255);
  return 0.3 * r! + 0.59 * g! + 0.11 * b! > 0.5 ? "#10141d" : "#ffffff";
}
