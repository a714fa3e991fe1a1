// Bundles the page into the folder that is given; ../tools/playground.py adds the Python packages and the examples.
import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

const target = process.argv[2];
const FILES = ["pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json"];

await build({
  entryPoints: ["src/page.js", "src/worker.js"],
  outdir: target,
  bundle: true,
  format: "esm",
  target: "es2022",
  minify: true,
  legalComments: "linked",
  external: ["./pyodide/pyodide.mjs"],
});
mkdirSync(join(target, "pyodide"), { recursive: true });
for (const name of ["index.html", "page.css"]) cpSync(join("src", name), join(target, name));
for (const name of FILES) cpSync(join("node_modules/pyodide", name), join(target, "pyodide", name));
