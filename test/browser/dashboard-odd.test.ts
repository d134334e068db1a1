import assert from "node:assert/strict";
import { addDays } from "../helpers/counted-days.ts";
import { FakeClock } from "../helpers/fake-clock.ts";
import { Owner as Controller } from "../helpers/owner.ts";
import { sharedWorld } from "../helpers/world.ts";
import { Owner } from "./owner.ts";

const long = (text: string) => [...text.repeat(128)].slice(0, 128).join("");
const ARABIC = long("مرحبا بالعالم ");
const CJK = long("日本語の長い名前");
const MARKS = long("z\u0338\u0322\u031b\u034d\u031f\u0308\u0301\u033f\u0311\u033e");
const EMOJI = long("👩‍👩‍👧‍👦🏳️‍🌈");
const WORD = long("w");
const VALUES = [ARABIC, CJK, MARKS, EMOJI, WORD, `\u202e${WORD.slice(1)}`, "a\u2028b\u2029c"];

const counted = Object.fromEntries(VALUES.map((value, i) => [value, VALUES.length - i]));
const DIMENSIONS = [
  "path",
  "ref",
  "utm_source",
  "event",
  "host",
  "country",
  "browser",
  "app_version",
];
const dayOf = (day: string) => ({
  site: "odd",
  day,
  counts: {
    pv: { _: 50 },
    app: { _: 5 },
    bot_kind: counted,
    ...Object.fromEntries(DIMENSIONS.map((dimension) => [dimension, counted])),
  },
  surveys: VALUES.map((value) => ({
    sv: 1,
    v: "1.2.3",
    dv: `${"w".repeat(32)},${"m".repeat(32)}`,
    a: { ["q".repeat(32)]: ["o".repeat(32), "p"], wants: "a" },
    c: value + value,
  })),
});
const LABELS = {
  1: {
    ["q".repeat(32)]: { name: ARABIC, options: { ["o".repeat(32)]: CJK, p: WORD } },
    wants: { name: MARKS, options: { a: WORD } },
  },
};

const odd = [MARKS, ARABIC, WORD, EMOJI];
const stars = JSON.stringify(odd.map((value) => ({ dimension: "path", value })));
const where = odd.map((value) => `where=path:not:${encodeURIComponent(value)}`).join("&");

/** Finds elements that overlap their neighbour, or leave their part of the page. */
const FAULTS = `(() => {
  const faults = [];
  const say = (what, node) => faults.push(what + ": " + node.outerHTML.slice(0, 120));
  const boxes = (row) => [...row.children].filter((node) =>
    node.checkVisibility() && getComputedStyle(node).position === "static");
  for (const row of document.querySelectorAll("tr, header, .legend, .tile, .press, .comments li, .controls")) {
    const parts = boxes(row).map((node) => [node, node.getBoundingClientRect()]);
    for (const [i, [node, a]] of parts.entries())
      for (const [, b] of parts.slice(i + 1))
        if (a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1)
          say("over its neighbour", node);
  }
  const isClipped = (node) => node !== null && !node.matches("main") &&
    (getComputedStyle(node).overflowY !== "visible" || isClipped(node.parentElement));
  const texts = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
  // The ink of many marks is higher than the line that layout knows of.
  for (let text = texts.nextNode(); text; text = texts.nextNode()) {
    const node = text.parentElement;
    if (/\\u0338/.test(text.data) && node.checkVisibility() && !isClipped(node)) say("not cut off", node);
  }
  if (document.documentElement.scrollWidth > innerWidth) faults.push("wider than the screen");
  return faults;
})()`;

const ODD = "/dashboard?site=odd&period=7d";

describe("values of any script and without a place to break", () => {
  const world = sharedWorld({
    clock: new FakeClock("2026-03-04T12:30:00Z"),
    env: { SITES: "odd" },
    prepare: (db) => addDays(db, [dayOf("2026-03-03"), dayOf("2026-03-04")]),
  });
  let owner: Owner;
  before(async () => {
    await new Controller(world()).ask("PUT", "/api/sites/odd/survey-labels", LABELS);
    owner = await Owner.come(world());
    // Stars from before somebody signs in are there at each visit.
    await owner.open(ODD);
    await owner.page.evaluate(
      `localStorage.setItem("tallydeck.stars.odd", ${JSON.stringify(stars)})`,
    );
    await owner.signIn(ODD);
  });
  after(() => owner.leave());
  afterEach(() => owner.assertUntroubled());
  const come = async (width: number, query = "") => {
    await owner.visit(ODD + query);
    await owner.page.setViewportSize({ width, height: 900 });
  };

  for (const width of [360, 768, 1280, 1700])
    it(`stand over nothing on ${width} pixels`, async () => {
      await come(width);
      const look = async (what: string) =>
        assert.deepEqual(await owner.page.evaluate(FAULTS), [], what);
      await owner.page.locator(".value-tile").first().waitFor();
      await look("cards");
      // The last day is read out.
      const plot = owner.page.locator(".plot");
      const box = await plot.boundingBox();
      for (const part of [0.3, 0.6, 0.85]) {
        await plot.hover({ position: { x: (box?.width ?? 0) * part, y: 100 } });
        await owner.page.locator(".read-out").waitFor();
        await look(`read-out at ${part}`);
      }
      await owner.page.getByRole("button", { name: "Table", exact: true }).click();
      await look("table");
      await owner.page.getByRole("button", { name: "Bars", exact: true }).click();
      await owner.page.locator(".bars .dimension").first().waitFor();
      await look("bars");
      await owner.page.getByRole("searchbox").fill(`${WORD}${WORD}`);
      await owner.page.getByText("No value holds").waitFor();
      await look("nothing found");
      await owner.page.getByRole("button", { name: "Surveys", exact: true }).click();
      await owner.page.locator(".comments").waitFor();
      for (const by of ["Model", "System"]) {
        await owner.page.getByLabel("Group by").selectOption(by);
        await owner.page.getByRole("heading", { name: `By ${by.toLowerCase()}` }).waitFor();
        await look(`surveys by ${by}`);
      }
      await come(width, `&${where}&where=ref:begins:${WORD}`);
      await owner.page.locator(".chip").nth(4).waitFor();
      await look("chips");
    });

  it("are whole where one is looked at", async () => {
    await come(360);
    await owner.page.locator(".value-tile").first().waitFor();
    const values = owner.page.locator('[data-dimension="path"] .value');
    assert.deepEqual(
      (await values.evaluateAll((all) => all.map((one) => one.getAttribute("title")))).sort(),
      [...VALUES].sort(),
    );
  });
});
