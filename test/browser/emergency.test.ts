import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { createFormServer } from "../../appliance/base/http/form-server.ts";
import { createLog } from "../../appliance/base/log.ts";
import { Emergency } from "../../appliance/box/emergency/emergency.ts";
import { BOX_FILES, endOfLog, readKnown } from "../../appliance/box/emergency/known.ts";
import { Reset } from "../../appliance/box/reset.ts";
import { SetupCode } from "../../appliance/box/setup-code.ts";
import { openProfile } from "../helpers/chromium.ts";
import { FakeClock } from "../helpers/fake-clock.ts";
import { eachFolder } from "../helpers/folder.ts";
import { until } from "../helpers/until.ts";

const STATE = {
  running: { release: 12, version: "0.3.0", slot: "b" },
  other: { release: 11, version: "0.2.0" },
  mode: "normal",
  last: { kind: "updated", release: 12, version: "0.3.0", at: 1, reason: null },
};

describe("the page of a box whose service cannot start", () => {
  let server: Server;
  let clock = new FakeClock();
  let code: SetupCode;
  let ended = 0;
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });
  const folder = eachFolder();

  beforeEach(async () => {
    [clock, ended] = [new FakeClock(), 0];
    for (const each of [BOX_FILES.reset, BOX_FILES.updater])
      mkdirSync(join(folder(), each, "asked"), { recursive: true });
    for (const each of ["etc", "run/tallydeck", "data/tallydeck-log"])
      mkdirSync(join(folder(), each), { recursive: true });
    writeFileSync(join(folder(), BOX_FILES.release), "RELEASE=12\nVERSION=0.3.0\n");
    writeFileSync(join(folder(), BOX_FILES.updater, "state.json"), JSON.stringify(STATE));
    writeFileSync(join(folder(), BOX_FILES.failures), "exit-code 1\n".repeat(5));
    const line =
      "2026-11-27T19:41:13+0000 tallydeck-node[400]: Error [ERR_MODULE_NOT_FOUND] at packageResolve (node:internal/modules/esm/resolve:873:9)\n";
    writeFileSync(join(folder(), BOX_FILES.log), line.repeat(12));
    code = new SetupCode({ clock, needed: () => true, randomInt: () => 271_828 });
    const reset = new Reset({
      clock,
      log: createLog(() => {}),
      folder: join(folder(), BOX_FILES.reset),
    });
    const emergency = new Emergency({
      clock,
      code,
      reset,
      network: { addresses: () => ["127.0.0.1"], name: () => "counter.local" },
      hostname: "localhost",
      token: "t0ken",
      known: () => readKnown(folder()),
      log: () => endOfLog(folder()),
      askForOther: () => Promise.reject(new Error("no folder")),
      end: () => {
        ended += 1;
      },
    });
    server = createFormServer({
      answer: (request) => emergency.answerOwner(request),
      warn: () => {},
      mostBytes: 1_024,
      connections: { total: 16, perAddress: 16 },
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
  });

  async function open(width: number, colorScheme: "light" | "dark") {
    const profile = await openProfile({
      viewport: { width, height: 640 },
      colorScheme,
      javaScriptEnabled: false,
    });
    const page = await profile.newPage();
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    return { page, close: () => profile.close() };
  }

  async function picture(page: Page, name: string): Promise<void> {
    const pictures = process.env.PICTURES;
    if (pictures)
      await page.screenshot({ path: `${pictures}/emergency-${name}.png`, fullPage: true });
  }

  it("fits wide and narrow screens, light and dark, with targets of 44 pixels", async () => {
    const { page, close } = await open(320, "light");
    await page.getByText("Back to the beginning", { exact: true }).click();
    await page.getByLabel("The code").fill(code.shown ?? "");
    await page.getByRole("button", { name: "Show the end of the log" }).click();
    await page.getByText("ERR_MODULE_NOT_FOUND").waitFor();
    await page.getByText("Back to the beginning", { exact: true }).click();
    for (const width of [320, 1_024])
      for (const colorScheme of ["light", "dark"] as const) {
        await page.setViewportSize({ width, height: 640 });
        await page.emulateMedia({ colorScheme });
        await picture(page, `${width}-${colorScheme}`);
        assert.equal((await page.locator("html").boundingBox())?.width, width);
        for (const target of await page.locator("input, button, summary").all()) {
          const box = await target.boundingBox();
          assert.ok(box && box.height >= 44 && box.x >= 0 && box.x + box.width <= width);
        }
      }
    await close();
  });

  it("has the service tried, by a press and a code", async () => {
    const { page, close } = await open(360, "light");
    await page.getByLabel("The code").fill("000000");
    await page.getByRole("button", { name: "Try to start it" }).click();
    await page.getByText("This is not the code.").waitFor();
    await page.getByLabel("The code").fill(code.shown ?? "");
    await page.getByRole("button", { name: "Try to start it" }).click();
    await page.getByRole("heading", { name: "Tallydeck is starting." }).waitFor();
    clock.advance(1_000);
    assert.equal(ended, 1);
    await close();
  });

  it("counts down before all is erased, and stops by a press", async () => {
    const { page, close } = await open(360, "dark");
    await page.getByText("Back to the beginning", { exact: true }).click();
    await page.getByLabel("The name of this machine").fill("counter");
    await page.getByLabel("The code").fill(code.shown ?? "");
    await page.getByRole("button", { name: "Erase all data" }).click();
    await page.getByText("erases all its data in 10 seconds").waitFor();
    await picture(page, "counting");
    clock.advance(4_000);
    // The page looks again by itself.
    await page.getByText("erases all its data in 6 seconds").waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByRole("heading", { name: "Tallydeck cannot start" }).waitFor();
    await until(() => existsSync(join(folder(), BOX_FILES.reset, "asked/call-off")));
    await close();
  });

  it("says why the other system could not be asked for", async () => {
    const { page, close } = await open(360, "light");
    await page.getByLabel("The code").fill(code.shown ?? "");
    await page.getByRole("button", { name: "Go to the other system, 0.2.0" }).click();
    await page.getByRole("link", { name: "Look again" }).click();
    await page.getByText("could not be asked for").waitFor();
    await close();
  });
});
