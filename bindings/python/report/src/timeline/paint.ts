// SPDX-License-Identifier: Apache-2.0
// How one column of pixels of a lane is painted. Lanes are painted pixel by pixel into
// image data: with a texture a rectangle of a canvas costs a hundred times as much, and a
// full screen has tens of thousands of them.
import { BY_NAME, DEADLOCKED, isDark, pixel, STATE_COUNT, STATES } from "../states";

/** Textures repeat after this many pixels in both directions. */
const TEXTURE = 60;
/** A stack of shares begins with what runs; the worst is on top. */
const STACKED = [
  "running",
  "runnable",
  "idle",
  "unknown",
  "new",
  "native",
  "io",
  "sleeping",
  "parked",
  "joining",
  "waiting",
  "reentering",
  "blocked",
  "deadlocked",
].map((name) => BY_NAME.get(name)!);

export class Paint {
  private readonly plain = new Uint32Array(STATE_COUNT);
  private readonly ink = new Uint32Array(STATE_COUNT);
  private readonly dim: boolean;

  constructor(dim = false) {
    this.dim = dim;
    const dark = isDark();
    STATES.forEach((state, index) => {
      const hex = dark ? state.dark : state.light;
      const lightInk = index === DEADLOCKED ? !dark : state.name !== "waiting";
      this.plain[index] = pixel(hex);
      this.ink[index] = pixel(hex, lightInk ? 0.45 : -0.4);
    });
  }

  /** Paint a column that is all of one state. */
  column(
    pixels: Uint32Array,
    stride: number,
    x: number,
    top: number,
    height: number,
    state: number,
    texture: number,
  ): void {
    const look = STATES[state];
    if (!look) return;
    const filled = Math.max(2, Math.round(height * look.height));
    const from = top + ((height - filled) >> 1);
    const plain = this.shade(this.plain[state]!);
    const ink = this.shade(this.ink[state]!);
    const tx = ((texture % TEXTURE) + TEXTURE) % TEXTURE;
    for (let y = from; y < from + filled; y++)
      pixels[y * stride + x] = look.texture(tx, y - top) ? ink : plain;
  }

  /** Paint a column that is a mixture, each state as high as its share of `sum`. */
  mixture(
    pixels: Uint32Array,
    stride: number,
    x: number,
    top: number,
    height: number,
    shares: Float32Array | Float64Array,
    sum: number,
    texture: number,
    slim = true,
  ): void {
    const tx = ((texture % TEXTURE) + TEXTURE) % TEXTURE;
    let filled = 0;
    for (let state = 0; state < STATE_COUNT; state++)
      filled += (shares[state]! / sum) * (slim ? STATES[state]!.height : 1);
    // As high as its states are on average, so that it fits in with its neighbours.
    const room = height * (slim ? filled : 1);
    const bottom = top + height - (slim ? (height - room) / 2 : 0);
    let y = Math.round(bottom);
    let share = 0;
    for (const state of STACKED) {
      if (!shares[state]) continue;
      share += shares[state]!;
      let to = Math.round(bottom - (share / sum) * room);
      // A deadlock stays visible among its surroundings.
      if (state === DEADLOCKED) to = Math.min(to, y - 2);
      const plain = this.shade(this.plain[state]!);
      const ink = this.shade(this.ink[state]!);
      const look = STATES[state]!;
      while (y > to && y > top) {
        y--;
        pixels[y * stride + x] = look.texture(tx, y - top) ? ink : plain;
      }
    }
  }

  /** A lane that is not emphasized is drawn faint. */
  private shade(value: number): number {
    return this.dim ? (value & 0x00ffffff) | 0x38000000 : value;
  }
}
