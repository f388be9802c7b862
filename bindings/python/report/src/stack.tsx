// SPDX-License-Identifier: Apache-2.0
// A call stack as a list.

export function StackList({ lines }: { lines: readonly string[] }) {
  if (!lines.length) return <p class="note">Its stack is not known.</p>;
  return (
    <ol class="stack">
      {lines.map((line, at) => (
        <li key={at}>
          <code>{line}</code>
        </li>
      ))}
    </ol>
  );
}
