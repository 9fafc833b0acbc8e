// Holds every glTF, GLB and VRMA that `muybridge convert`, `fix` and `simulate` write to the glTF validator of Khronos.
//
//   node .ci/gltf_valid.mjs target/release/muybridge MODULES [FILE or FOLDER …] [--scenes]
//
// MODULES is a folder where `npm install gltf-validator` was run. Motions in the folders are converted to each of the
// three formats, and those that `fix` writes as glTF are corrected; with --scenes, built-in scenes are recorded. Counts errors and
// warnings by route. What a glTF that was read holds already, counted by code, is its own fault; it is counted apart.
// Exit status 1 if a file of ours has an error, or if the program crashes or takes longer than a minute.

import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, dirname, extname, join, resolve } from "node:path";

const [program, modules, ...rest] = process.argv.slice(2);
const { validateBytes } = createRequire(join(resolve(modules), "package.json"))("gltf-validator");
const MOTION = [".bvh", ".fbx", ".gltf", ".glb", ".vrm", ".vrma"];
const GLTF = [".gltf", ".glb", ".vrm", ".vrma"];
const SCENES = ["drop", "throw", "rope", "cloth_on_ragdoll", "cloth_on_sphere", "stairs", "hit_and_bomb", "arm", "crowd", "rain"];
const SEVERITY = ["errors", "warnings"];

/** The motion files in a folder and those below it, in the order of their names; a file is itself. */
function motions(path) {
  if (!statSync(path).isDirectory()) return [path];
  const inside = readdirSync(path).sort().filter((name) => !name.startsWith(".")).map((name) => join(path, name));
  return inside.flatMap((name) => statSync(name).isDirectory() || MOTION.includes(extname(name).toLowerCase()) ? motions(name) : []);
}

/** Runs the program; "" if it ended as it should, else what it did instead. */
function run(args) {
  return new Promise((done) => {
    execFile(program, args, { timeout: 60_000, maxBuffer: 1 << 28 }, (error, _, stderr) => {
      if (/panicked at/.test(stderr)) done(`panics: ${/panicked at.*\n?.*/.exec(stderr)[0]}`);
      else if (error?.killed) done("takes longer than a minute");
      else if (error?.signal || error?.code > 2) done(`ends by ${error.signal ?? error.code}`);
      else done("");
    });
  });
}

/** Messages of the validator about a file, errors and warnings, by code; null if it is no glTF. */
async function messages(file) {
  const beside = (uri) => Promise.resolve().then(() => new Uint8Array(readFileSync(join(dirname(file), decodeURIComponent(uri)))));
  const options = { uri: basename(file), maxIssues: 0, externalResourceFunction: beside };
  const report = await validateBytes(new Uint8Array(readFileSync(file)), options).catch(() => null);
  if (!report) return null;
  const counts = [new Map(), new Map()];
  for (const { severity, code } of report.issues.messages) {
    if (severity < 2) counts[severity].set(code, (counts[severity].get(code) ?? 0) + 1);
  }
  return counts;
}

const table = new Map();
const complaints = [];
const own = { errors: new Map(), warnings: new Map() };

/** Validates what a call wrote into a folder, against what its source held. */
async function judge(route, source, folder, held) {
  const row = table.get(route) ?? { files: 0, errors: 0, warnings: 0, carried: 0 };
  table.set(route, row);
  for (const name of readdirSync(folder).filter((name) => GLTF.includes(extname(name)))) {
    row.files += 1;
    const found = await messages(join(folder, name));
    if (!found) {
      row.errors += 1;
      complaints.push(`${source} ${route}: ${name} is no glTF`);
      continue;
    }
    found.forEach((counts, severity) => {
      for (const [code, count] of counts) {
        const carried = Math.min(count, held?.[severity].get(code) ?? 0);
        row.carried += severity === 0 ? carried : 0;
        if (count === carried) continue;
        row[SEVERITY[severity]] += count - carried;
        const all = own[SEVERITY[severity]];
        all.set(code, (all.get(code) ?? 0) + count - carried);
        if (severity === 0) complaints.push(`${source} ${route}: ${count - carried} × ${code}`);
      }
    });
  }
}

/** Calls the program with a new folder to write to, and judges what is there. */
async function written(route, source, args, held) {
  const folder = mkdtempSync(join(tmpdir(), "gltf_valid_"));
  try {
    const failure = await run(args(folder));
    if (failure) complaints.push(`${source} ${route}: ${failure}`);
    await judge(route, source, folder, held);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const sources = rest.filter((path) => path !== "--scenes").flatMap(motions);
for (const source of sources) {
  const kind = extname(source).toLowerCase();
  const held = GLTF.includes(kind) ? await messages(source) : null;
  for (const format of ["glb", "gltf", "vrma"]) {
    const call = (folder) => ["convert", source, folder, "--to", format];
    await written(`convert ${kind.slice(1)} to ${format}`, source, call, held);
  }
  if (kind !== ".bvh") {
    const target = GLTF.includes(kind) ? kind : ".glb";
    await written(`fix ${kind.slice(1)}`, source, (folder) => ["fix", source, "-o", join(folder, `fixed${target}`)], held);
  }
}
if (rest.includes("--scenes")) {
  for (const scene of SCENES) {
    for (const format of ["glb", "gltf", "vrma"]) {
      const call = (folder) => ["simulate", scene, "--seconds", "0.2", "-o", join(folder, `run.${format}`)];
      await written(`simulate to ${format}`, scene, call, null);
    }
  }
}

complaints.forEach((complaint) => console.log(`    ${complaint}`));
console.log("| route | files | errors | warnings | errors of the source |\n| --- | ---: | ---: | ---: | ---: |");
for (const [route, row] of [...table].sort()) {
  console.log(`| ${route} | ${row.files} | ${row.errors} | ${row.warnings} | ${row.carried} |`);
}
for (const severity of SEVERITY) {
  for (const [code, count] of [...own[severity]].sort()) console.log(`${severity}: ${count} × ${code}`);
}
console.log(`${complaints.length ? "FAILED" : "ok    "} ${complaints.length} complaints on what ${sources.length} motions became`);
process.exitCode = complaints.length ? 1 : 0;
