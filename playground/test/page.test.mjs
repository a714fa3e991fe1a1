// The page as a person uses it, in headless Chromium: ADDRESS is where it is served, CHROMIUM the browser.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { chromium } from "playwright-core";

const { ADDRESS, CHROMIUM } = process.env;
const PATIENCE = 60_000;
const QUIET = ["--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
let browser, page, elsewhere, wrong;

before(async () => {
  browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox", "--disable-gpu", ...QUIET] });
  [page, elsewhere, wrong] = await opened();
});

after(async () => await browser?.close());

// A page with what it asks of other places, and the errors that it reports.
async function opened(hash = "") {
  const made = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  made.setDefaultTimeout(PATIENCE);
  const [asked, errors] = [[], []];
  made.on("request", (request) => request.url().startsWith(ADDRESS) || /^(data|blob):/.test(request.url()) || asked.push(request.url()));
  made.on("console", (message) => message.type() === "error" && errors.push(message.text()));
  made.on("pageerror", (error) => errors.push(String(error)));
  made.on("dialog", (dialog) => (errors.push(`dialog: ${dialog.message()}`), dialog.dismiss()));
  await made.goto(ADDRESS + hash);
  return [made, asked, errors];
}

async function write(text, name = "program.eps.duet") {
  await page.fill("#name", name);
  await page.mouse.move(0, 0);
  await page.focus(".cm-content");
  await page.keyboard.press("Control+A");
  await page.keyboard.insertText(text);
}

const CLAIM = `pλ m : ℕ, ε : ℝ⁺ . xs : 𝕄 [L∞, U | m, 1⋅𝔻], ε : ℝ⁺[ε] ⇒
  laplace[1.0, ε] <xs> { mfold-row 0.0 (mclip[L∞, 4.0] xs) { s, r ⇒ s + r#[0, 0] } }
`;

test("the first example is accepted, coloured, and says what its words cost", async () => {
  await page.waitForSelector(".accepted");
  assert.match(await page.textContent(".accepted"), /: ok .*privacy/);
  await page.waitForSelector(".shown-mechanism");
  await page.waitForSelector(".hint");
  assert.match(await page.textContent(".cm-content .hint"), /costs|moves|=/);
});

test("every example is answered", async () => {
  for (const name of await page.$$eval("#example option", (options) => options.map((option) => option.value))) {
    await page.$$eval("#answer > *", (told) => told.forEach((each) => each.remove()));
    await page.selectOption("#example", name);
    await page.waitForSelector("#answer > *");
    assert.equal(await page.$(".failed"), null, name);
  }
});

test("an error is underlined at its place, listed, and explained", async () => {
  await page.selectOption("#example", "product.eps.duet");
  await page.waitForSelector(".cm-lintRange-error");
  assert.match(await page.textContent(".problem.error .place"), /^\d+:\d+ error D0311$/);
  await page.click(".problem.error .more");
  await page.waitForSelector(".explained");
  assert.match(await page.textContent(".explained"), /D0311/);
});

test("signs outside of the basic plane do not shift what is underlined", async () => {
  await write("pλ . z : 𝔻, y : 𝔻 ⇒ return wrong\n");
  await page.waitForSelector(".problem.error");
  assert.equal(await page.textContent(".cm-lintRange-error"), "wrong");
});

test("the pointer on a parameter tells why it costs what it costs", async () => {
  await page.selectOption("#example", "spread.eps.duet");
  await page.waitForSelector(".accepted");
  const place = await page.$eval(".cm-content", (content) => {
    const walk = document.createTreeWalker(content, NodeFilter.SHOW_TEXT);
    for (let node = walk.nextNode(); node; node = walk.nextNode()) {
      const at = node.data.indexOf("patients");
      if (at < 0 || node.parentElement.closest(".shown-comment")) continue;
      const range = document.createRange();
      range.setStart(node, at);
      range.setEnd(node, at + 8);
      const box = range.getBoundingClientRect();
      return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    }
    return null;
  });
  await page.mouse.move(place.x, place.y);
  await page.waitForSelector(".about");
  const told = await page.textContent(".about");
  assert.match(told, /^patients : /);
  assert.match(told, /costs|2⋅ε/);
  assert.doesNotMatch(told, /`/);
});

test("a sign is completed from its name", async () => {
  await write("");
  await page.keyboard.type("\\eps");
  await page.waitForSelector(".cm-tooltip-autocomplete [aria-selected]");
  await page.waitForTimeout(200); // a completion is accepted only a moment after it is shown
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.querySelector(".cm-content").textContent.includes("ε"));
});

test("a link holds the program and its file's name, and its text is never markup", async () => {
  const hostile = `${CLAIM}-- <img src=x onerror=alert(1)>\n`;
  await write(hostile, "<b>x<b>.eps.duet");
  await page.waitForSelector("#answer > *");
  await page.click("#share");
  await page.waitForFunction(() => location.hash.startsWith("#p="));
  const [other, , errors] = await opened(await page.evaluate(() => location.hash));
  await other.waitForSelector(".problem, .accepted, .failed");
  assert.equal(await other.inputValue("#name"), "<b>x<b>.eps.duet");
  assert.match(await other.textContent(".cm-content"), /onerror=alert/);
  assert.equal(await other.$("b, img"), null);
  assert.deepEqual(errors, []);
  await other.close();
});

test("an address that holds no program opens the first example", async () => {
  for (const hash of ["#p=", "#p=AAAA", "#p=%%", "#x"]) {
    const [other, , errors] = await opened(hash);
    await other.waitForSelector(".cm-line:nth-child(3)");
    assert.deepEqual(errors, []);
    await other.close();
  }
});

test("it fits a phone", async () => {
  await page.setViewportSize({ width: 380, height: 700 });
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
});

test("nothing was asked of another place, and nothing went wrong", () => {
  assert.deepEqual(elsewhere, []);
  assert.deepEqual(wrong, []);
});

// Pyodide reports a full stack on the console, so this comes last.
test("a program that is deep is answered, and the page goes on", async () => {
  const deep = [`${"(".repeat(20_000)}z${")".repeat(20_000)}`, `${"let x = z in ".repeat(20_000)}z`, `${"√(z + ".repeat(20_000)}z${")".repeat(20_000)}`];
  for (const body of [...deep, `f ${"(λ x : ℝ ⇒ ".repeat(5_000)}x${")".repeat(5_000)}`]) {
    await page.$$eval("#answer > *", (told) => told.forEach((each) => each.remove()));
    await write(`sλ z : ℝ ⇒ ${body}\n`);
    await page.waitForSelector("#answer > *");
    await page.selectOption("#example", "ages.eps.duet");
    await page.waitForFunction(() => document.querySelector(".accepted")?.textContent.startsWith("ages"));
  }
});
