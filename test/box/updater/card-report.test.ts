import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { configWithSlot } from "../../../appliance/box/updater/boot-partition.ts";
import { reportOnCard } from "../../../appliance/box/updater/card-report.ts";
import { writeJournal } from "../../../appliance/box/updater/journal.ts";
import { keep } from "../../../appliance/box/updater/keep.ts";
import { failTrial } from "../../../appliance/box/updater/trial.ts";
import { Card, NEXT, OLD } from "./card.ts";

const REPORT = "boot/firmware/SETUP-RESULT.txt";
const SETTINGS = "What came of the settings on this card\r\n\r\ntallydeck.env:\r\n";

describe("SETUP-RESULT.txt on the card", () => {
  let card: Card;
  beforeEach(() => {
    card = new Card();
    card.write(REPORT, SETTINGS);
  });
  afterEach(() => card.remove());

  async function start(slot: "a" | "b"): Promise<string> {
    await card.bootSlot(slot);
    await reportOnCard(card.box());
    return card.read(REPORT);
  }
  async function tryNext(): Promise<string> {
    await start("a");
    card.putSlot("b", NEXT);
    card.write("boot/firmware/tryboot.txt", configWithSlot(card.config(), "b"));
    const attempt = { id: "1", kind: "update", slot: "b", to: NEXT, from: OLD } as const;
    writeJournal(card.box(), {
      ...card.journal(),
      attempt: { ...attempt, state: "armed", breaksData: false },
    });
    return start("b");
  }

  it("says below the settings what runs, and is written once", async () => {
    const report = `${SETTINGS}\r\nThe system on this card:\r\n  0.2.0 runs, from a/.\r\n`;
    assert.equal(await start("a"), report);
    card.ran.length = 0;
    assert.equal(await start("a"), report);
    assert.deepEqual(card.ran, []);
  });

  it("says after an update how any computer can start the one before", async () => {
    const before = await start("a");
    assert.equal(await tryNext(), before);
    await keep(card.box());
    assert.equal(
      card.read(REPORT),
      `${SETTINGS}\r\n${[
        "The system on this card:",
        "  0.3.0 runs, from b/.",
        "  0.2.0 is in a/. To start that instead, change os_prefix=b/ to os_prefix=a/ in",
        "  config.txt, on any computer.",
        "  2026-11-18: Updated to 0.3.0.",
        "",
      ].join("\r\n")}`,
    );
  });

  it("says why the box went back", async () => {
    await tryNext();
    failTrial(card.box(), "No address on eth0.");
    const lines = (await start("a")).split("\r\n");
    assert.deepEqual(lines.slice(-3), [
      "  0.2.0 runs, from a/.",
      "  2026-11-18: Went back from 0.3.0 to 0.2.0. No address on eth0.",
      "",
    ]);
  });

  it("is written on a visit by nobody", async () => {
    card.putSlot("b", NEXT);
    assert.equal(await start("b"), SETTINGS);
    assert.equal(existsSync(join(card.root, `${REPORT}.new`)), false);
  });
});
