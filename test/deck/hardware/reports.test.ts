import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseReport, reportText } from "../../../appliance/deck/hardware/report.ts";
import { textBytes } from "../../../appliance/deck/hardware/report-bytes.ts";
import { ofDeck, reportsIn, triedText } from "../../../scripts/hardware-reports.ts";
import { replay } from "../../helpers/replayed-deck.ts";
import { seeded, TEST_SEED } from "../../helpers/seeded.ts";

const ROOT = join(import.meta.dirname, "../../..");
const FIXTURES = join(ROOT, "test/fixtures/hardware");
const PLUS = readFileSync(join(FIXTURES, "plus.txt"), "utf8");

/** The fixture of a Plus, with other facts or words. */
const plusWith = (...changes: readonly (readonly [RegExp, string])[]) =>
  parseReport(changes.reduce((text, [from, to]) => text.replace(from, to), PLUS));
const REAL = [/^device: .*$/m, "device: real"] as const;

for (const [folder, what] of [
  [FIXTURES, "a virtual deck"],
  [join(ROOT, "docs/hardware"), "real hardware"],
] as const)
  describe(`Our driver and the reports of ${what}`, () => {
    for (const report of reportsIn(folder).filter(({ facts }) => facts.about === "deck"))
      it(`do as they did: ${report.facts.name}, ${report.facts.made}`, async () => {
        await replay(report);
      });
  });

describe("A replay", () => {
  it("notices a driver that sends another report", async () => {
    await assert.rejects(replay(plusWith([/set {4}030850/, "set    030851"])), /another report/);
  });

  it("notices a driver that hears another key", async () => {
    await assert.rejects(replay(plusWith([/heard {2}down k3/, "heard  down k4"])), /down k3/);
  });

  it("notices a driver that sends less, or more", async () => {
    const line = / *\d+ out .*\n/;
    const [first = ""] = line.exec(PLUS) ?? [];
    await assert.rejects(replay(plusWith([line, first + first])));
    await assert.rejects(replay(plusWith([line, ""])));
  });
});

describe("The table of hardware", () => {
  const tried = (...reports: readonly ReturnType<typeof plusWith>[]) =>
    triedText(ofDeck(reports, "plus"));

  it("calls a model untried without reports", () => {
    assert.equal(tried(), "untried");
  });

  it("never counts a virtual deck, nor another model", () => {
    assert.equal(tried(plusWith(), plusWith([/^device: .*\n/m, ""])), "untried");
    assert.equal(tried(plusWith(REAL, [/^model: .*$/m, "model: neo"])), "untried");
  });

  it("says by how many a model is verified, and with which version last", () => {
    const [first, second] = ["1.4.0", "1.3.0"].map((version, day) =>
      plusWith(
        REAL,
        [/^version: .*$/m, `version: ${version}`],
        [/^made: .*$/m, `made: 2026-05-0${2 - day}`],
      ),
    );
    assert.ok(first && second);
    assert.equal(tried(first), "verified by 1, with 1.4.0");
    assert.equal(tried(first, second), "verified by 2, last with 1.4.0");
  });

  it("tells skipped steps and trouble apart", () => {
    const version = [/^version: .*$/m, "version: 1.4.0"] as const;
    const skipped = plusWith(REAL, version, [/press k3 {5}ok {5}/, "press k3     skipped"]);
    const failed = plusWith(REAL, version, [/press k3 {5}ok {5}/, "press k3     failed "]);
    const ended = plusWith(REAL, version, [/^ended: .*$/m, "ended: in press k3: You ended it."]);
    assert.equal(tried(skipped, ended), "in part by 2, last with 1.4.0");
    assert.equal(tried(failed), "trouble for 1, with 1.4.0");
  });
});

describe("A report from a stranger", () => {
  it("reads as it was written", () => {
    assert.equal(reportText(parseReport(PLUS)), PLUS);
    assert.deepEqual(parseReport(PLUS.replaceAll("\n", "\r\n")), parseReport(PLUS));
  });

  it("is refused with the line where it is none", () => {
    const refused: readonly (readonly [string, RegExp])[] = [
      ["", /^Line 1 is not/],
      ["hello", /^Line 1 is not/],
      [PLUS.replace("about: deck", "about deck"), /^Line 2 is no fact/],
      [PLUS.replace("made:", "about: deck\nmade:"), /^Line 3 is no fact, or one too many/],
      [PLUS.replace("  ok  ", "  fine"), /^Line \d+ is no step/],
      [PLUS.replace("do     open", "eval   open"), /^Line \d+ is nothing that was exchanged/],
      [PLUS.replace("Stream Deck", "Stream \x1b[2J Deck"), /characters that no report has/],
      [PLUS + " 1 in 00".repeat(600_000), /larger than any/],
      [PLUS + "1 in 00\n".repeat(60_000), /more lines than any/],
    ];
    for (const [text, why] of refused) assert.throws(() => parseReport(text), { message: why });
  });

  it("has no report longer than any deck's", () => {
    for (const text of ["0*99999", "picture*99999", `${"0*9999 ".repeat(3)}`])
      assert.throws(() => textBytes(text), /No report is so long/);
    for (const text of ["0*-1", "xyz", "abc", "0*1e5"])
      assert.throws(() => textBytes(text), /is no bytes of a report/);
  });

  it("ends in a report or a sentence, however it is mangled", () => {
    const { below } = seeded(TEST_SEED);
    for (let round = 0; round < 300; round += 1) {
      const at = below(PLUS.length);
      const more = String.fromCharCode(below(256)).repeat(below(4));
      const mangled = PLUS.slice(0, at) + more + PLUS.slice(at + below(20));
      try {
        parseReport(mangled);
      } catch (error) {
        assert.match((error as Error).message, /^(?:Line \d+|It) .*[.:]/, `seed ${TEST_SEED}`);
      }
    }
  });
});
