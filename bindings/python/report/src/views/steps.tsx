// SPDX-License-Identifier: Apache-2.0
// A number in each part of the run, drawn as a filled line.
import type { ComponentChildren } from "preact";

const WIDTH = 300;
const HEIGHT = 64;

interface Props {
  /** The averages, one for each part. */
  values: ArrayLike<number>;
  /** The value at the top of the picture. */
  whole: number;
  fill: string;
  /** The text for screen readers. */
  words: string;
  /** The texts below: the start, the subject, the end. */
  children: ComponentChildren;
}

export function Steps({ values, whole, fill, words, children }: Props) {
  const y = (value: number) => HEIGHT - (Math.min(value, whole) / whole) * HEIGHT;
  const steps = Array.from(values, (value, at) => {
    const [x1, x2] = [at, at + 1].map((edge) => ((edge / values.length) * WIDTH).toFixed(1));
    return `L${x1} ${y(value).toFixed(1)}L${x2} ${y(value).toFixed(1)}`;
  });
  return (
    <figure class="picture">
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={words}
        data-most={Math.max(...Array.from(values))}>
        <path d={`M0 ${HEIGHT}${steps.join("")}L${WIDTH} ${HEIGHT}z`} fill={fill} />
      </svg>
      <figcaption>{children}</figcaption>
    </figure>
  );
}
