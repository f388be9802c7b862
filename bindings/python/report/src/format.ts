// SPDX-License-Identifier: Apache-2.0
// Values as people read them; threadmodel/text.py writes the same.

const UNITS: readonly (readonly [number, string])[] = [
  [1e9, "s"],
  [1e6, "ms"],
  [1e3, "us"],
];

/** A length of time with three digits and its unit: "1.23 ms"; "" for null. */
export function duration(ns: number | null | undefined): string {
  if (ns === null || ns === undefined) return "";
  for (const [factor, unit] of UNITS) {
    // So that 999.5 us is not written as 1000 us.
    if (Math.abs(ns) < factor * 0.9995) continue;
    const value = ns / factor;
    const size = Math.abs(value);
    return `${value.toFixed(size < 9.995 ? 2 : size < 99.95 ? 1 : 0)} ${unit}`;
  }
  return `${Math.round(ns)} ns`;
}

/** What tells most instants of a run apart. */
export const MICROSECOND = 1000;

/** An instant of the run, with as many digits as tell `step` ns apart. */
export function instant(ns: number, step: number): string {
  const [factor, unit] = UNITS.find(([size]) => Math.abs(ns) >= size) ?? [1, "ns"];
  const digits = Math.max(0, Math.ceil(Math.log10(factor / Math.max(step, 1))));
  return `${(ns / factor).toFixed(Math.min(digits, 9))} ${unit}`;
}

const GROUPED = new Intl.NumberFormat("en-US");

export function number(value: number | null | undefined): string {
  return value === null || value === undefined ? "" : GROUPED.format(value);
}

export function count(value: number, noun: string, plural = `${noun}s`): string {
  return `${number(value)} ${value === 1 ? noun : plural}`;
}

export function percent(share: number | null | undefined): string {
  if (share === null || share === undefined || Number.isNaN(share)) return "";
  const value = share * 100;
  return `${value !== 0 && Math.abs(value) < 9.995 ? value.toFixed(1) : value.toFixed(0)} %`;
}

// Control characters, line and paragraph separators, surrogates that stand alone, and
// marks that change the direction of text: shown by their number.
const UNSAFE =
  /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** A name from the recorded program, made safe to show, and cut if it is too long. */
export function clean(value: string | null | undefined, limit = 300): string {
  if (!value) return "";
  const cut = value.length > limit ? `${value.slice(0, limit - 1)}…` : value;
  return cut.replace(UNSAFE, (character) => {
    const code = character.charCodeAt(0);
    const digits = code.toString(16);
    return code < 256 ? `\\x${digits.padStart(2, "0")}` : `\\u${digits.padStart(4, "0")}`;
  });
}

/** A class or method without its packages: "java.util.HashMap.put" is "HashMap.put". */
export function short(name: string | null | undefined): string {
  if (!name) return "";
  return clean(name, 2000).replace(/^(?:[\p{Ll}_$][\p{L}\p{N}_$]*\.)+(?=\p{L})/u, "");
}

/** A place in the code: "app.Till.charge:39". */
export function place(method: string | null, line: number | null): string {
  if (method === null) return "(not known)";
  return line === null ? clean(method) : `${clean(method)}:${line}`;
}
