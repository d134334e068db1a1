import assert from "node:assert/strict";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { reportWifi } from "../../../appliance/box/provision/wifi-report.ts";
import { eachFolder } from "../../helpers/folder.ts";

const SETTINGS =
  "What came of the settings on this card\r\n\r\ntallydeck.env:\r\n  applied  WIFI_SSID (line 1)\r\n";
const SYSTEM = "\r\nThe system on this card:\r\n  0.4.0 runs, from a/.\r\n";

describe("the report about the Wi-Fi on the card", () => {
  const folder = eachFolder();
  const path = (name: string) => join(folder(), name);
  const ran: string[] = [];
  beforeEach(() => {
    mkdirSync(path("boot/firmware"), { recursive: true });
    mkdirSync(path("run/tallydeck-wifi"), { recursive: true });
    ran.length = 0;
  });

  /** The report after a sentence of the set-up, undefined for none. */
  function reported(report: string, sentence?: string): string {
    writeFileSync(path("boot/firmware/SETUP-RESULT.txt"), report);
    rmSync(path("run/tallydeck-wifi/result"), { force: true });
    if (sentence !== undefined) writeFileSync(path("run/tallydeck-wifi/result"), `${sentence}\n`);
    reportWifi({ root: folder(), run: (...words) => void ran.push(words.join(" ")) });
    return readFileSync(path("boot/firmware/SETUP-RESULT.txt"), "utf8");
  }
  const part = (sentence: string) => `\r\nThe Wi-Fi:\r\n  ${sentence}\r\n`;

  for (const system of ["", SYSTEM])
    it(`is put behind the files, ${system === "" ? "at the end" : "before the system"}, and replaced`, () => {
      const first = reported(SETTINGS + system, "The password was not accepted by Home.");
      assert.equal(first, SETTINGS + part("The password was not accepted by Home.") + system);
      assert.equal(
        reported(first, "The box joined Home."),
        SETTINGS + part("The box joined Home.") + system,
      );
      assert.equal(reported(first), SETTINGS + system);
    });

  it("writes nothing to the card where nothing is new", () => {
    const report = SETTINGS + part("The box joined Home.") + SYSTEM;
    assert.equal(reported(report, "The box joined Home."), report);
    assert.deepEqual(ran, []);
  });
});
