// SPDX-License-Identifier: Apache-2.0
// Light or dark: as the system has it, until the reader of the page says otherwise.
import { signal } from "@preact/signals";
import { isDark } from "./states";

/** Rises with each change, so that what is painted is painted anew. */
export const scheme = signal(0);

export function turnScheme(): void {
  document.documentElement.dataset["theme"] = isDark() ? "light" : "dark";
  scheme.value++;
}

/** @returns what ends the watching */
export function watchScheme(): () => void {
  const media = matchMedia("(prefers-color-scheme: dark)");
  const changed = () => scheme.value++;
  media.addEventListener("change", changed);
  return () => media.removeEventListener("change", changed);
}

/** Reads the colours of the page as canvases need them: computed, not by reference. */
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
