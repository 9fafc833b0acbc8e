// Opens a report page in Chromium and uses it as a person would:
//
//   node .ci/browser_test.mjs report.html [clip-with-findings.html …]
//
// Exit status 1 if anything fails.

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { launch } from "./chromium.mjs";

let failures = 0, checks = 0;
function expect(holds, sentence, seen) {
  checks++;
  if (holds) return;
  failures++;
  console.error(`  fails: ${sentence}${seen === undefined ? "" : ` (${JSON.stringify(seen)})`}`);
}

const frameOf = async (page) => Number(/\[(\d+)\]/.exec(await page.textContent("#readout"))[1]);
const picture = (page) => page.evaluate(() => document.getElementById("scene").toDataURL());
/** Lets the page draw twice. */
const settle = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
/** The middle of an element at a share of its width, in pixels of the window, scrolled into view. */
async function placeIn(page, selector, share) {
  await page.locator(selector).first().scrollIntoViewIfNeeded();
  const box = await page.locator(selector).first().boundingBox();
  return [box.x + box.width * share, box.y + box.height / 2];
}

async function checkSize(page, file) {
  const whole = readFileSync(file).length;
  const data = await page.evaluate(() => new TextEncoder().encode(document.getElementById("data").textContent).length);
  expect(whole - data < 1e6, "the page without its data is under 1 MB", whole - data);
}

async function checkTime(page, frames) {
  const readings = [];
  for (const share of [0.3, 0.6, 0.9]) {
    const [x, y] = await placeIn(page, "#timeline canvas", share);
    await page.mouse.click(x, y);
    await settle(page);
    readings.push(await frameOf(page));
  }
  const grows = readings[0] < readings[1] && readings[1] < readings[2];
  expect(frames < 10 || grows, "the cursor goes where the time line is pressed", readings);
  await page.mouse.move(4, 4);
  await page.keyboard.press("Home");
  await settle(page);
  expect((await frameOf(page)) === 0, "Home goes to frame 0", await frameOf(page));
  await page.keyboard.press("ArrowRight");
  await settle(page);
  expect((await frameOf(page)) === Math.min(1, frames - 1), "an arrow goes one frame on", await frameOf(page));
  const label = await page.textContent("#cursor span");
  expect(label.includes(`[${await frameOf(page)}]`), "the cursor is labeled with its frame", label);
}

/** Hovering over any chart moves the cursor; leaving puts it back. */
async function checkHover(page, frames) {
  const count = await page.locator("#charts canvas").count();
  expect(frames < 10 || count > 0, "there are charts", count);
  await page.keyboard.press("Home");
  for (let chart = 0; chart < count; chart++) {
    const [x, y] = await placeIn(page, `#charts .plot:nth-child(${chart + 1}) canvas`, 0.7);
    await page.mouse.move(x, y);
    await settle(page);
    const frame = await frameOf(page), tip = await page.textContent("#tip");
    expect(frames < 10 || frame > frames * 0.4, `hovering over chart ${chart} moves the cursor`, frame);
    expect(tip.includes(`[${frame}]`), `hovering over chart ${chart} says value and frame`, tip);
  }
  await page.mouse.move(4, 4);
  await settle(page);
  expect((await frameOf(page)) === 0, "the cursor returns when the pointer leaves", await frameOf(page));
}

async function checkFindings(page) {
  const findings = page.locator("button.finding");
  for (let index = 0; index < Math.min(await findings.count(), 8); index++) {
    const wanted = Number(await findings.nth(index).getAttribute("data-frame"));
    await findings.nth(index).click();
    await settle(page);
    expect((await frameOf(page)) === wanted, `pressing finding ${index} goes to its first frame`, await frameOf(page));
  }
}

/** Each switch of the legend changes the picture in some frame and, put back, restores it. */
async function checkOverlays(page, frames) {
  const boxes = page.locator("#overlays input");
  expect((await boxes.count()) >= 1, "there is a legend");
  const look = [...new Set([0.05, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9, 0.97].map((share) => Math.floor(share * (frames - 1))))];
  const starts = await page.locator("[data-frame]").evaluateAll((all) => all.map((one) => Number(one.dataset.frame)));
  for (let index = 0; index < (await boxes.count()); index++) {
    const name = await boxes.nth(index).getAttribute("data-overlay");
    let changes = false, restores = true;
    for (const frame of [...look, ...new Set(starts)]) {
      await page.evaluate((at) => { location.hash = `frame=${at}`; }, frame);
      await settle(page);
      await settle(page);
      const before = await picture(page);
      await boxes.nth(index).click();
      await settle(page);
      const between = await picture(page);
      await boxes.nth(index).click();
      await settle(page);
      restores &&= (await picture(page)) === before;
      changes ||= between !== before;
      if (changes) break;
    }
    expect(changes, `switching ${name} changes the picture`);
    expect(restores, `switching ${name} back restores the picture`);
  }
}

async function checkView(page) {
  const seen = [];
  for (const key of ["0", "1", "2", "3"]) {
    await page.keyboard.press(key);
    await settle(page);
    seen.push(await picture(page));
  }
  expect(new Set(seen).size === 4, "the four views differ");
  const [x, y] = await placeIn(page, "#scene", 0.6);
  await page.mouse.move(x, y);
  for (const [words, act] of [
    ["dragging orbits", async () => { await page.mouse.down(); await page.mouse.move(x + 60, y + 20); await page.mouse.up(); }],
    ["the right button pans", async () => { await page.mouse.down({ button: "right" }); await page.mouse.move(x, y); await page.mouse.up({ button: "right" }); }],
    ["the wheel zooms", () => page.mouse.wheel(0, -240)],
    ["the theme changes", () => page.keyboard.press("t")],
  ]) {
    const before = await picture(page);
    await act();
    await page.waitForTimeout(60);
    await settle(page);
    expect((await picture(page)) !== before, words);
  }
}

/** Nothing moves before play is pressed; then time runs, and space stops it. */
async function checkPlay(page, frames) {
  await page.keyboard.press("Home");
  await settle(page);
  const still = await picture(page);
  await page.waitForTimeout(250);
  expect(still === (await picture(page)), "nothing moves on its own");
  if (frames < 10) return;
  await page.click("#play");
  await page.waitForTimeout(500);
  await page.click("#play");
  await settle(page);
  const stopped = await frameOf(page);
  expect(stopped > 0, "play moves the cursor", stopped);
  await page.waitForTimeout(200);
  expect(stopped === (await frameOf(page)), "pause stops it");
}

/** A correction: the ways to show both motions differ, the switch of the original's frame moves it, rows go to their frames. */
async function checkCorrection(page) {
  const record = await page.evaluate(() => JSON.parse(document.getElementById("data").textContent).correction ?? null);
  if (!record) return;
  const span = record.steps[0]?.span ?? [0, 0], middle = Math.floor((span[0] + span[1]) / 2);
  await page.evaluate((at) => { location.hash = `frame=${at}`; }, middle);
  await settle(page);
  const seen = [];
  for (const show of ["overlaid", "side by side", "corrected", "original", "overlaid"]) {
    await page.click(`#pairing button:text-is("${show}")`);
    await settle(page);
    seen.push(await picture(page));
  }
  expect(new Set(seen.slice(0, 4)).size === 4, "the four ways to show both motions differ");
  const retimed = record.knots.some(([frame, source]) => Math.abs(frame - source) > 1e-6);
  expect((await page.locator("[data-by]").count()) === (retimed ? 2 : 0), "there is a switch for the original's frame where it was retimed");
  if (retimed) {
    const before = await picture(page), curve = await page.evaluate(() => document.querySelector("#charts canvas").toDataURL());
    await page.click('[data-by="moment"]');
    await settle(page);
    expect((await picture(page)) !== before, "the original of the same moment is another than that of the same pose");
    expect((await page.evaluate(() => document.querySelector("#charts canvas").toDataURL())) !== curve, "its curves follow");
    expect((await page.textContent("#readout")).includes(`original ${middle}.0`), "at the same moment frames have the same number", await page.textContent("#readout"));
    await page.click('[data-by="pose"]');
    await settle(page);
    expect((await picture(page)) === before, "the switch goes back");
  }
  const rows = page.locator(".comparison tbody tr");
  expect((await rows.count()) === record.findings.length, "every finding has a row", await rows.count());
  for (let index = 0; index < Math.min(await rows.count(), 4); index++) {
    const wanted = Number(await rows.nth(index).getAttribute("data-frame"));
    await rows.nth(index).click();
    await settle(page);
    expect((await frameOf(page)) === wanted, `pressing row ${index} goes to its frame`, await frameOf(page));
  }
}

/** A survey: its tables hold rows, and pressing a head sorts them; how many rows there are. */
async function checkSurvey(page) {
  const rows = await page.locator("table tbody tr").count();
  expect(rows >= 1, "there is a table with rows");
  const table = page.locator(".sortable:has(tbody tr + tr)").first();
  if (!(await table.count())) return `${rows} rows`;
  const head = table.locator("thead th:not(:empty)").first(), cells = table.locator("tbody tr td:first-child");
  await head.click();
  const once = await cells.allTextContents();
  await head.click();
  const twice = await cells.allTextContents();
  expect(new Set(once).size === 1 || once[0] !== twice[0], "pressing a head again turns the order around", [once[0], twice[0]]);
  expect([...once].sort().join("\n") === [...twice].sort().join("\n"), "sorting keeps every row");
  expect((await head.getAttribute("aria-sort")) !== null, "the head says that it is sorted by");
  return `${rows} rows`;
}

/** One motion or two: everything that can be pressed, pressed; how many frames there are. */
async function checkMotion(page, file) {
  const frames = Number(await page.getAttribute("#timeline", "aria-valuemax")) + 1;
  await checkSize(page, file);
  await checkTime(page, frames);
  await checkHover(page, frames);
  await checkFindings(page);
  await checkPlay(page, frames);
  await checkOverlays(page, frames);
  await checkCorrection(page);
  await checkView(page);
  return `${frames} frames`;
}

async function checkPage(browser, file) {
  const before = failures;
  const page = await browser.newPage({ viewport: { width: 1400, height: 1000 } });
  const complaints = [], fetched = [];
  page.on("console", (message) => { if (["error", "warning"].includes(message.type())) complaints.push(message.text()); });
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("request", (request) => { if (!request.url().startsWith("file:")) fetched.push(request.url()); });
  await page.goto(pathToFileURL(resolve(file)).href);
  await settle(page);
  const seen = (await page.locator("#timeline").count()) ? await checkMotion(page, file) : await checkSurvey(page);
  expect(complaints.length === 0, "the console is silent", complaints);
  expect(fetched.length === 0, "nothing is fetched", fetched);
  await page.close();
  console.log(`${failures === before ? "ok  " : "FAIL"} ${file}: ${seen}`);
}

const files = process.argv.slice(2);
if (!files.length) {
  console.error("usage: node .ci/browser_test.mjs report.html …");
  process.exit(2);
}
const browser = await launch(["--disable-gpu"]);
try {
  for (const file of files) await checkPage(browser, file);
} catch (error) {
  failures++;
  console.error(`  fails: ${error.message}`);
} finally {
  await browser.close();
}
console.log(`browser test: ${files.length} page${files.length === 1 ? "" : "s"}, ${checks} checks, ${failures} failed`);
process.exit(failures ? 1 : 0);
