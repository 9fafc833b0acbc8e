// Chromium without a window, for the tests that need a browser.
//
// Chromium is taken from $CHROMIUM or the path; playwright-core comes from npm into a folder of its own outside the tree
// ($MUYBRIDGE_PLAYWRIGHT, else one in the temporary folder, kept for the next run if nobody else can write in it).

import { execFileSync } from "node:child_process";
import { existsSync, lstatSync, mkdirSync, mkdtempSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

const PLAYWRIGHT = "1.65.1";
const FLAGS = ["--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];

/** The folder, if it is this user's and nobody else can write in it; else a new one. */
function own(folder) {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const found = lstatSync(folder);
  const isOwn = found.isDirectory() && found.uid === process.getuid() && (found.mode & 0o022) === 0;
  return isOwn ? folder : mkdtempSync(join(tmpdir(), "muybridge-playwright-"));
}

function playwright() {
  const folder = own(process.env.MUYBRIDGE_PLAYWRIGHT ?? join(tmpdir(), `muybridge-playwright-${PLAYWRIGHT}-${process.getuid()}`));
  if (!existsSync(join(folder, "node_modules", "playwright-core"))) {
    execFileSync("npm", ["install", "--no-fund", "--no-audit", "--no-save", "--ignore-scripts", "--prefix", folder, `playwright-core@${PLAYWRIGHT}`], { stdio: ["ignore", "ignore", "inherit"], timeout: 120_000 });
  }
  return createRequire(join(folder, "package.json"))("playwright-core").chromium;
}

function chromiumPath() {
  if (process.env.CHROMIUM) return process.env.CHROMIUM;
  for (const folder of process.env.PATH.split(":")) {
    for (const name of ["chromium", "chromium-browser", "google-chrome"]) if (existsSync(join(folder, name))) return join(folder, name);
  }
  throw new Error("no Chromium: install it (apt-get install chromium) or name it in CHROMIUM");
}

/** A browser with these flags besides the usual ones. */
export const launch = (flags) => playwright().launch({ executablePath: chromiumPath(), args: [...FLAGS, ...flags] });
