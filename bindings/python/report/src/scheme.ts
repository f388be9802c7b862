// SPDX-License-Identifier: Apache-2.0
// Light or dark: the system's choice, until the user of the page chooses.
import { signal } from "@preact/signals";
import { isDark } from "./states";

/** Increases with each change, so that canvases are painted anew. */
export const scheme = signal(0);

export function turnScheme(): void {
  document.documentElement.dataset["theme"] = isDark() ? "light" : "dark";
  scheme.value++;
}

/** @returns a function that ends the watching */
export function watchScheme(): () => void {
  const media = matchMedia("(prefers-color-scheme: dark)");
  const changed = () => scheme.value++;
  media.addEventListener("change", changed);
  return () => media.removeEventListener("change", changed);
}

/** Reads the computed colours of the page, which canvases need. */
export class Palette {
  private readonly probe = document.createElement("span");

  constructor(within: HTMLElement) {
    this.probe.hidden = true;
    within.append(this.probe);
  }

  get(name: `--${string}`): string {
    this.probe.style.color = `var(${name})`;
    return getComputedStyle(this.probe).color;
  }
}
