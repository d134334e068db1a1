import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import type { UpdateView } from "../../appliance/links/updates/view.ts";
import { swapIn } from "../../appliance/store/sqlite/copies/swap.ts";
import { databaseFile, openForWriting } from "../../appliance/store/sqlite/database.ts";
import { buildWeb, isBuilt } from "../../scripts/build-web.ts";
import { FakeClock } from "../helpers/fake-clock.ts";
import { codeOnConsole } from "../helpers/owner.ts";
import { FakeUpdates } from "../helpers/updates.ts";
import { World } from "../helpers/world.ts";
import { Owner } from "./owner.ts";

const HEADER_BYTES = 100;
const READY: UpdateView["ready"] = {
  release: 12,
  version: "0.3.0",
  bytes: 203_000_000,
  notes: "",
  source: "network",
  state: "offered",
  failedBefore: false,
  isSkipped: false,
};

function withoutHeader(file: string): void {
  writeFileSync(file, readFileSync(file).fill(0, 0, HEADER_BYTES));
}

describe("the page of a box whose data is damaged", () => {
  let world: World;
  let owner: Owner;
  let backup: Buffer;
  before(async () => {
    if (!isBuilt()) await buildWeb();
  });
  afterEach(async () => {
    await owner.leave();
    await world.end();
  });

  async function open(
    env: Record<string, string>,
    look: { colorScheme: "light" | "dark"; width: number },
    updates?: FakeUpdates,
    spoil: (file: string) => void = withoutHeader,
  ): Promise<void> {
    // The browser tells its time, which would be another day.
    world = new World({ env, clock: new FakeClock(Date.now()), ...(updates && { updates }) });
    await world.start();
    await world.beacon({ p: "/" });
    if (env.BIND === undefined) backup = (await world.askControl("/api/backup")).body;
    await world.stop();
    spoil(databaseFile(world.dataDir));
    await world.start();
    owner = await Owner.come(world.service.control, {
      colorScheme: look.colorScheme,
      viewport: { width: look.width, height: 740 },
    });
    await owner.open("/");
  }
  const button = (name: string) => owner.page.getByRole("button", { name, exact: true });
  const sees = (text: string | RegExp) => owner.page.getByText(text).first().waitFor();
  const picture = async (name: string) => {
    const { PICTURES } = process.env;
    if (PICTURES) await owner.page.screenshot({ path: `${PICTURES}/${name}.png`, fullPage: true });
  };

  it("says what is wrong to everybody, wide and light, narrow and dark", async () => {
    await open({}, { colorScheme: "light", width: 1_200 });
    for (const { colorScheme, width } of [
      { colorScheme: "light", width: 1_200 },
      { colorScheme: "dark", width: 360 },
    ] as const) {
      await owner.page.emulateMedia({ colorScheme });
      await owner.page.setViewportSize({ width, height: 740 });
      await sees("The data of this machine cannot be used");
      await sees(/is damaged or no database/);
      await owner.assertAccessible();
      assert.equal(await owner.page.evaluate("document.body.scrollWidth"), width);
      await picture(`rescue-${colorScheme}-${width}`);
    }
  });

  it("takes another release, and goes on with its pages", async () => {
    const updates = new FakeUpdates();
    updates.show({ ready: READY });
    await open({}, { colorScheme: "dark", width: 1_200 }, updates);
    await sees("Update ready: 0.3.0, 203 MB");
    await owner.assertAccessible();
    await picture("rescue-update");
    await button("Install now").click();
    updates.show({ next: READY, progress: { step: "restart", done: 0, of: 0 } });
    await sees(/^The box restarts\. It is back/);
    assert.deepEqual(updates.wishes, [{ action: "now", release: 12, untried: false }]);
    const loaded = owner.page.waitForEvent("load");
    updates.show({ running: { release: 12, version: "0.3.0", slot: "b" } });
    await loaded;
  });

  it("restores a backup, says what is wrong with a file that is none, and is the Web UI again", async () => {
    await open({}, { colorScheme: "light", width: 1_200 });
    const restore = (name: string, mimeType: string, buffer: Buffer) =>
      owner.page.getByLabel("Restore…", { exact: true }).setInputFiles({ name, mimeType, buffer });
    await restore("a.jpg", "image/jpeg", Buffer.from("a picture"));
    await sees(/This file is damaged or no database/);
    owner.expectTrouble(/400/);
    await restore("box.db", "application/octet-stream", backup);
    await owner.page.getByRole("navigation", { name: "Sections" }).waitFor();
    assert.deepEqual((await world.stats()).path, { "/": 1 });
    owner.expectTrouble(/404/);
  });

  it("goes back to the data from before a restore that cannot be read", async () => {
    await open({}, { colorScheme: "light", width: 1_200 }, undefined, (file) => {
      const incoming = `${file}.new`;
      const db = openForWriting(incoming);
      db.exec("INSERT INTO document (kind, id, body, revision) VALUES ('deck', 'mini-1', '{', 1)");
      db.close();
      swapIn(incoming, file);
    });
    await sees(/cannot be read as a start has to/);
    assert.equal(await button("Start anew…").count(), 0);
    await button("Go back to the data from before").click();
    await owner.page.getByRole("navigation", { name: "Sections" }).waitFor();
    assert.deepEqual((await world.stats()).path, { "/": 1 });
    owner.expectTrouble(/404/);
  });

  it("starts anew when it is asked twice, behind the setup code", async () => {
    await open({ BIND: "0.0.0.0", STATS_TOKEN: "" }, { colorScheme: "light", width: 1_200 });
    await owner.page.getByLabel("Six digits").fill(codeOnConsole(world));
    await button("Sign in").click();
    await button("Start anew…").click();
    await picture("rescue-ask");
    await button("Start anew").click();
    // The new data knows nobody who is signed in.
    await button("Sign in").waitFor();
    assert.equal(world.service.unusable, undefined);
    while (owner.troubles.length > 0) owner.expectTrouble(/401/);
  });
});
