// SPDX-License-Identifier: Apache-2.0
// A small picture of a state, painted as the lanes are.
import { useEffect, useRef } from "preact/hooks";
import { scheme } from "../scheme";
import { STATES } from "../states";
import { Paint } from "./paint";

const WIDTH = 22;
const HEIGHT = 14;

export function Swatch({ state }: { state: number }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const dark = scheme.value;
  useEffect(() => {
    const context = canvas.current?.getContext("2d");
    if (!context) return;
    const image = context.createImageData(WIDTH, HEIGHT);
    const pixels = new Uint32Array(image.data.buffer);
    const paint = new Paint();
    for (let x = 0; x < WIDTH; x++) paint.column(pixels, WIDTH, x, 0, HEIGHT, state, x);
    context.putImageData(image, 0, 0);
  }, [state, dark]);
  return (
    <canvas
      class="swatch"
      ref={canvas}
      width={WIDTH}
      height={HEIGHT}
      aria-hidden="true"
      title={STATES[state]?.meaning ?? ""}
    />
  );
}
