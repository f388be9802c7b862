// SPDX-License-Identifier: Apache-2.0
// Licences of the software in the page.
import { useRef } from "preact/hooks";
import type { Licence, Run } from "../data/run";

export function LicencesDialog({ run }: { run: Run }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const licences = run.answers.value<Licence[]>("licences");
  return (
    <>
      <button type="button" class="link" onClick={() => dialog.current?.showModal()}>
        Licences
      </button>
      <dialog ref={dialog} class="licences" aria-label="Licences">
        <h2>Licences</h2>
        <p>threadmodel is under the Apache License 2.0. This page contains:</p>
        {licences.map(({ name, version, license, text }) => (
          <details key={name}>
            <summary>
              {name} {version}, {license}
            </summary>
            <pre>{text}</pre>
          </details>
        ))}
        <form method="dialog">
          <button type="submit">Close</button>
        </form>
      </dialog>
    </>
  );
}
