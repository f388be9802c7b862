// SPDX-License-Identifier: Apache-2.0
// The look of each state of a thread. The colours are by Okabe and Ito, for people with
// colour blindness. Each state also has a texture and a letter of its own, which need no
// colour and can be printed.

import { STATE, type State as StateName, SUMMED_STATES } from "./described";

/** Whether a texture has ink at a pixel; x and y are at least 0. */
type Texture = (x: number, y: number) => boolean;

export interface State {
  name: Drawn;
  label: string;
  letter: string;
  light: string;
  dark: string;
  /** Share of a lane's height that it fills. Blocking states are the highest. */
  height: number;
  texture: Texture;
  /** Its meaning, for the legend. */
  meaning: string;
}

const none: Texture = () => false;

/** A state as it is drawn. Dead threads are not drawn. A worker that waits for work is idle,
 * in whatever state it waits. */
type Drawn = Exclude<StateName, "dead"> | "idle";
type Look = readonly [
  letter: string,
  light: string,
  dark: string,
  height: number,
  texture: Texture,
  label?: string,
];

const LOOKS: Record<Drawn, Look> = {
  unknown: ["?", "#d9dce3", "#343a46", 0.3, none],
  new: ["n", "#b9bfca", "#4a5160", 0.3, (x, y) => (x + y) % 4 === 0],
  running: ["R", "#009e73", "#1fae85", 0.46, none],
  blocked: ["B", "#d55e00", "#e8732a", 1, (x, y) => (x + y) % 6 < 2],
  waiting: ["W", "#56b4e9", "#56b4e9", 0.8, (x, y) => x % 4 === 0 && y % 4 === 1],
  reentering: ["E", "#e69f00", "#e8a81c", 1, (x, y) => (x + 5 * y) % 6 < 2, "re-entering"],
  joining: ["J", "#cc79a7", "#d58db6", 0.8, (x) => x % 5 < 1],
  sleeping: ["S", "#8c93a3", "#7e8698", 0.6, (x, y) => y % 6 === 2 && x % 6 < 3],
  parked: ["P", "#0072b2", "#2a8cc9", 0.8, (_, y) => y % 4 === 1],
  deadlocked: [
    "D",
    "#1b1b1f",
    "#f4f4f6",
    1,
    (x, y) => (x + y) % 5 === 0 || (x + 4 * y) % 5 === 0,
  ],
  runnable: ["u", "#f0e442", "#e5d93a", 0.46, (x, y) => (x + 2 * y) % 6 === 0],
  io: ["K", "#7a4fa3", "#a684cf", 0.8, (x, y) => y % 4 === 1 && x % 8 < 5, "I/O"],
  native: ["N", "#a6761d", "#bd9041", 0.46, (x, y) => x % 3 === 0 && y % 3 === 0],
  idle: ["i", "#c3d3e3", "#3b4a5c", 0.3, (x, y) => x % 6 === 0 && y % 3 === 0],
};

const MEANINGS: Record<Drawn, string> = {
  ...STATE,
  idle: "waits for work, and there is none",
};

/** The states of enum tm_state in its order, then those that only the page draws. */
export const STATES: readonly State[] = (Object.keys(MEANINGS) as (keyof typeof MEANINGS)[])
  .filter((name) => (name as StateName) !== "dead")
  .map((name) => {
    const [letter, light, dark, height, texture, label = name] = LOOKS[name];
    return { name, label, letter, light, dark, height, texture, meaning: MEANINGS[name] };
  });

export const STATE_COUNT = STATES.length;
export const BY_NAME: ReadonlyMap<string, number> = new Map(
  STATES.map((item, index) => [item.name, index]),
);

function indexOf(name: Drawn): number {
  return STATES.findIndex((item) => item.name === name);
}

export const DEADLOCKED = indexOf("deadlocked");
export const RUNNING = indexOf("running");
/** States that not all producers report; shown if one does. */
export const OPTIONAL: ReadonlySet<number> = new Set(
  (["runnable", "io", "native"] as const).map(indexOf),
);
export const IDLE = indexOf("idle");
export const NO_STATE = 255;

/** Whether a worker in a state can be idle, waiting for work. */
export function isIdleIn(name: string): boolean {
  return name === "waiting" || name === "parked" || name === "io";
}

/** Whether a thread in a state can queue for a lock or a permit. */
export function isQueueing(name: string): boolean {
  return name !== "joining" && name !== "sleeping" && name !== "io";
}

/** The displayed name of a state; lanes do not show dead threads. */
export function labelOf(name: string): string {
  return STATES[BY_NAME.get(name) ?? -1]?.label ?? name;
}

/** States in which a thread is blocked by others, as sums name them. */
export const BLOCKING_STATES = SUMMED_STATES;
/** States in which a thread waits for an event. */
export const STOPPED: ReadonlySet<number> = new Set(
  ([...BLOCKING_STATES, "sleeping", "deadlocked"] as const).map(indexOf),
);
export type BlockingState = (typeof BLOCKING_STATES)[number];

export function isDark(): boolean {
  const chosen = document.documentElement.dataset["theme"];
  if (chosen) return chosen === "dark";
  // An attribute of Jupyter's body states whether its theme is light.
  const jupyter = document.body.dataset["jpThemeLight"];
  if (jupyter) return jupyter === "false";
  return matchMedia("(prefers-color-scheme: dark)").matches;
}

export function colour(index: number, dark = isDark()): string {
  const item = STATES[index];
  return item ? (dark ? item.dark : item.light) : "transparent";
}

/** A colour as a pixel of image data on little-endian machines. */
export function pixel(hex: string, lighten = 0): number {
  const channel = (at: number): number => {
    const value = parseInt(hex.slice(at, at + 2), 16);
    return Math.round(lighten >= 0 ? value + (255 - value) * lighten : value * (1 + lighten));
  };
  return ((255 << 24) | (channel(5) << 16) | (channel(3) << 8) | channel(1)) >>> 0;
}
