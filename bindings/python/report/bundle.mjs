// SPDX-License-Identifier: Apache-2.0
// Bundle the front end: `node bundle.mjs OUT` writes report.js and report.css, widget.js,
// which holds its styles, and licences.json: the packages inside, and their licences.

import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = dirname(fileURLToPath(import.meta.url));
const out = process.argv[2];

// The folder of the package that a bundled file stems from; null: it is ours.
function packageOf(input) {
  const at = input.lastIndexOf("node_modules/");
  if (at < 0) return null;
  const parts = input.slice(at + "node_modules/".length).split("/");
  const name = parts.slice(0, parts[0].startsWith("@") ? 2 : 1);
  return join(root, input.slice(0, at), "node_modules", ...name);
}

function licenceOf(folder) {
  const { name, version, license } = JSON.parse(
    readFileSync(join(folder, "package.json"), "utf8"),
  );
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  const text = file ? readFileSync(join(folder, file), "utf8").trim() : "";
  return { name, version, license, text };
}

async function bundle(name, format, loader) {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: { [name]: `src/${name}.tsx` },
    bundle: true,
    minify: true,
    format,
    target: "es2022",
    charset: "utf8",
    legalComments: "none",
    loader,
    metafile: true,
    logLevel: "warning",
    outdir: out,
  });
  return Object.values(metafile.outputs).flatMap(({ inputs }) => Object.keys(inputs));
}

// The report is one inline script; a notebook imports the widget as a module.
const inputs = [
  ...(await bundle("report", "iife", {})),
  ...(await bundle("widget", "esm", { ".css": "text" })),
];
const folders = new Set(
  inputs
    .map((input) => packageOf(input.split(sep).join("/")))
    .filter((folder) => folder !== null && existsSync(folder)),
);
const licences = [...folders].map(licenceOf);
licences.sort((a, b) => a.name.localeCompare(b.name, "en"));
const missing = licences.filter(({ license }) => !license);
if (missing.length) {
  throw new Error(`without a licence: ${missing.map(({ name }) => name).join(", ")}`);
}
writeFileSync(join(out, "licences.json"), `${JSON.stringify(licences, null, 1)}\n`);
