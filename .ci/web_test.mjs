// Opens the studio as a web page in Chromium, drawn without a graphics card, and uses it:
//
//   .ci/web folder && node .ci/web_test.mjs folder [folder for pictures]
//
// The page is one canvas, so what is on it is judged by its picture: many colors, and others after something was done; and by what it says
// to a screen reader. A run is compared with that of the native program: MUYBRIDGE_PROGRAM, else what cargo builds.
// Exit status 1 if anything fails; look at the pictures.

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { extname, join, normalize } from "node:path";
import { launch } from "./chromium.mjs";

const SIZE = { width: 1280, height: 800 };
const [page_folder, pictures = mkdtempSync(join(tmpdir(), "muybridge-web-"))] = process.argv.slice(2);
if (!page_folder) {
  console.error("usage: node .ci/web_test.mjs folder [folder for pictures]");
  process.exit(2);
}
mkdirSync(pictures, { recursive: true });

let failures = 0, checks = 0;
function expect(holds, sentence, seen) {
  checks++;
  if (holds) return;
  failures++;
  console.error(`  fails: ${sentence}${seen === undefined ? "" : ` (${JSON.stringify(seen)})`}`);
}

const KINDS = { ".html": "text/html", ".js": "text/javascript", ".wasm": "application/wasm" };
const server = createServer((request, response) => {
  const path = normalize(new URL(request.url, "http://page").pathname);
  const file = join(page_folder, path === "/" ? "index.html" : path);
  try {
    const content = readFileSync(file);
    response.writeHead(200, { "content-type": KINDS[extname(file)] ?? "application/octet-stream" }).end(content);
  } catch {
    response.writeHead(404).end();
  }
});
await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
const address = `http://127.0.0.1:${server.address().port}/`;

/** Number of colors of a picture, and the share of the commonest. */
const colors = (page, png) => page.evaluate(async (text) => {
  const picture = await createImageBitmap(await (await fetch(`data:image/png;base64,${text}`)).blob());
  const context = new OffscreenCanvas(picture.width, picture.height).getContext("2d");
  context.drawImage(picture, 0, 0);
  const pixels = new Uint32Array(context.getImageData(0, 0, picture.width, picture.height).data.buffer);
  const counts = new Map();
  for (const pixel of pixels) counts.set(pixel, (counts.get(pixel) ?? 0) + 1);
  return { number: counts.size, most: Math.max(...counts.values()) / pixels.length };
}, png.toString("base64"));

/** The picture once it is the same twice, or after a while. */
async function still(page) {
  let before = await page.screenshot();
  for (let look = 0; look < 20; look++) {
    await page.waitForTimeout(300);
    const now = await page.screenshot();
    if (now.equals(before)) return now;
    before = now;
  }
  return before;
}

/** Keeps a picture to be looked at, and expects that it shows something. */
async function keep(page, name, least) {
  await page.screenshot({ path: join(pictures, `${name}.png`) });
  const seen = await colors(page, await page.screenshot());
  expect(seen.number > least && seen.most < 0.9, `${name} is a picture`, seen);
  console.log(`    ${name}: ${seen.number} colors, ${(seen.most * 100).toFixed(0)} % of one`);
}

/** A page of the studio, once it draws; everything its console complains about goes to `complaints`. */
async function open(browser, asked, complaints) {
  const page = await browser.newPage({ viewport: SIZE });
  page.on("console", (message) => {
    const grave = message.type() === "error" || /panicked/.test(message.text());
    if (grave) complaints.push(message.text());
    else if (process.env.VERBOSE) console.log(`    console: ${message.text()}`);
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  const began = Date.now();
  await page.goto(address + asked);
  await page.waitForSelector("#waiting", { state: "detached", timeout: 60_000 })
    .catch(async () => expect(false, "the studio starts", await page.textContent("#waiting")));
  await still(page);
  console.log(`ok  /${asked} after ${((Date.now() - began) / 1000).toFixed(1)} s`);
  return page;
}

/** Expects that something done to the page changes its picture. */
async function changes(page, sentence, act) {
  const before = await still(page);
  await act();
  await page.waitForTimeout(300);
  const after = await still(page);
  expect(!after.equals(before), sentence);
}

/** Drops a file on the page as a person does. */
const drop = (page, name, content) => page.evaluate(([name, text]) => {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const dropped = new DataTransfer();
  dropped.items.add(new File([bytes], name));
  const canvas = document.getElementById("studio");
  for (const kind of ["dragover", "drop"]) {
    canvas.dispatchEvent(new DragEvent(kind, { dataTransfer: dropped, bubbles: true, cancelable: true }));
  }
}, [name, content.toString("base64")]);

/** The sample by its address: turned with the mouse, played, saved as a download. The file. */
async function sample(browser, complaints) {
  const page = await open(browser, "?sample", complaints);
  await keep(page, "sample", 500);
  await changes(page, "dragging turns the view", async () => {
    await page.mouse.move(500, 350);
    await page.mouse.down();
    await page.mouse.move(620, 380, { steps: 4 });
    await page.mouse.up();
  });
  await changes(page, "time goes on while it plays", async () => {
    await page.keyboard.press("Space");
    await page.waitForTimeout(1000);
    await page.keyboard.press("Space");
  });
  await keep(page, "sample_played", 500);
  const [download] = await Promise.all([page.waitForEvent("download", { timeout: 20_000 }), page.keyboard.press("Control+s")]);
  const file = { name: download.suggestedFilename(), content: readFileSync(await download.path()) };
  expect(file.content.subarray(0, 4).toString() === "glTF", "what is saved is a GLB", file.name);
  console.log(`    saved ${file.name}, ${file.content.length} bytes`);
  await page.close();
  return file;
}

/** The start page: the sample by a click, files dropped and chosen. */
async function start(browser, complaints, file) {
  const page = await open(browser, "", complaints);
  await keep(page, "start", 50);
  await changes(page, "the sample opens by a click on the start page", () => page.mouse.click(400, 195));
  await keep(page, "clicked", 500);
  await changes(page, "an FBX is answered with a sentence", () => drop(page, "jump.fbx", Buffer.from("Kaydara FBX Binary  \0\x1a\0")));
  await keep(page, "fbx", 500);
  await changes(page, "a file that is dropped opens", () => drop(page, file.name, file.content));
  await keep(page, "dropped", 500);
  await changes(page, "a file that is chosen in the browser's dialog opens", async () => {
    const [chooser] = await Promise.all([page.waitForEvent("filechooser", { timeout: 20_000 }), page.keyboard.press("Control+o")]);
    await chooser.setFiles({ name: "again.glb", mimeType: "model/gltf-binary", buffer: file.content });
  });
  await keep(page, "chosen", 500);
  await page.close();
}

/** A built-in scene by its address, which runs. */
async function scene(browser, complaints) {
  const page = await open(browser, "?scene=drop", complaints);
  await keep(page, "scene", 500);
  await changes(page, "a scene runs", async () => {
    await page.mouse.move(640, 300);
    await page.keyboard.press("Space");
    await page.waitForTimeout(2000);
    await page.keyboard.press("Space");
  });
  await keep(page, "scene_run", 500);
  await page.close();
}

/** The log of a run of the native program, with a fingerprint of every few steps, done again on the page: the same bits. */
async function bits(browser, complaints) {
  const folder = mkdtempSync(join(tmpdir(), "muybridge-web-"));
  const log = join(folder, "run.toml");
  const [program, own] = process.env.MUYBRIDGE_PROGRAM
    ? [process.env.MUYBRIDGE_PROGRAM, []]
    : ["cargo", ["run", "--quiet", "-p", "muybridge_cli", "--"]];
  execFileSync(program, [...own, "simulate", "drop", "--seconds", "1.5", "--log", log], { stdio: "ignore" });
  const content = readFileSync(log);
  rmSync(folder, { recursive: true });
  const page = await open(browser, "", complaints);
  await drop(page, "native_log.toml", content);
  const said = () => page.textContent("#said");
  for (let look = 0; look < 200 && !/was replayed|differs from the logged run/.test(await said()); look++) await page.waitForTimeout(300);
  const verdict = await said();
  expect(/the same bits up to step [1-9]/.test(verdict), "a run on the page has the bits of the native program", verdict);
  console.log(`    ${verdict}`);
  // And with one bit of what the log says another, the page does not agree.
  const other = Buffer.from(content.toString().replace(/sum = "(.)/, (_, digit) => `sum = "${digit === "0" ? "1" : "0"}`));
  await drop(page, "other_log.toml", other);
  for (let look = 0; look < 200 && !/but the result differs from the logged run/.test(await said()); look++) await page.waitForTimeout(300);
  expect(/but the result differs from the logged run/.test(await said()), "another fingerprint is told", await said());
  await page.close();
}

const browser = await launch(["--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"]);
const complaints = [];
try {
  const file = await sample(browser, complaints);
  await start(browser, complaints, file);
  await scene(browser, complaints);
  await bits(browser, complaints);
} catch (error) {
  failures++;
  console.error(`  fails: ${error.message}`);
} finally {
  await browser.close();
  server.close();
}
expect(complaints.length === 0, "the console is silent", complaints);
console.log(`web test: ${checks} checks, ${failures} failed; pictures in ${pictures}`);
process.exit(failures ? 1 : 0);
