import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "mocha";
import { dayOf, formatDay } from "../../appliance/base/calendar.ts";
import { CHROME } from "../helpers/access-logs.ts";
import { eachFolder } from "../helpers/folder.ts";
import { Owner as Caller } from "../helpers/owner.ts";
import { daysFrom, Importer, plausibleBytes } from "../helpers/uploading.ts";
import { eachControl } from "./control-stage.ts";
import { seen } from "./owner.ts";

const DAYS = 20;

describe("imports and exports in the Web UI", () => {
  const control = eachControl();
  const folder = eachFolder();
  const card = () => control().region("blog");
  const first = (ago = 40) => formatDay(dayOf(Date.now()) - ago);
  const open = async (what = "Import") => {
    await control().open("?tab=sites");
    await card().getByText(what, { exact: true }).click();
  };
  const choose = async (buffer: Buffer, name = "example_com.zip", label = "Choose a file…") =>
    card()
      .locator(`input[type=file][aria-label="${label}"]`)
      .setInputFiles({ name, mimeType: "application/zip", buffer });
  const file = (ago = 40, days = DAYS) => plausibleBytes(folder(), daysFrom(first(ago), days));
  const importer = () => new Importer(new Caller(control().world));

  it("bring a whole export of Plausible, seen first, and lead to where it begins", async () => {
    await open();
    await choose(await file());
    await control().sees("example_com.zip was read. Nothing is written yet.");
    const shown = await seen(card());
    assert.match(shown, /Plausible/);
    assert.match(shown, /20 days with counts/);
    assert.match(shown, /600 views, 200 visitors, 240 sessions/);
    assert.match(shown, /UTC\s+the file does not say it/);
    assert.match(shown, /20 pages on which sessions ended/);
    await control().button("Bring 20 days").click();
    await control().sees(/^Brought 20 days from example_com\.zip: /);
    const link = card().getByRole("link", { name: "Open the dashboard where they begin" });
    const to = daysFrom(first(), DAYS).at(-1);
    assert.match(
      (await link.getAttribute("href")) ?? "",
      new RegExp(`/dashboard\\?site=blog&from=${first()}&to=${to}$`),
    );
    const stats = await control().world.stats({ from: first(), to: to ?? "" });
    assert.deepEqual(stats.pv, { _: 600 });
    const list = card().getByRole("list", { name: "Imports of blog" });
    assert.match(await seen(list), /example_com\.zip\s+Plausible, .*: 20 days, 600 views/);
    await control().button("Delete example_com.zip…").click();
    await control().button("Delete").click();
    await list.waitFor({ state: "detached" });
    assert.equal((await control().world.stats({ from: first(), to: to ?? "" })).pv, undefined);
  });

  it("ask before they take the place of another import", async () => {
    await importer().done(await importer().send(await file(), "old.zip", 1_000_000), "bring");
    await open();
    await choose(await file(30, 15), "new.zip");
    await control().sees("10 days of these came with old.zip before.");
    await control().button("Bring 15 days…").click();
    await control().sees("Replace these 10 days?");
    await control().button("Replace").click();
    await control().sees(/^Brought 15 days from new\.zip/);
    const { imports } = await importer().list();
    assert.deepEqual(
      imports.map(({ name, days }) => [name, days]),
      [
        ["new.zip", 15],
        ["old.zip", 10],
      ],
    );
  });

  it("read a file anew by the days and the zone that are named", async () => {
    await open();
    await choose(await file());
    await card().getByText("Other days, or another zone").click();
    await control().field("From").fill(first(30));
    await control().field("To").fill(first(26));
    await control().field("Days of the file begin at midnight in").fill("Mars/X");
    await control().button("Read it so").click();
    await control().sees(/"zone" must be a time zone/);
    control().owner.expectTrouble(/400/);
    await control().field("Days of the file begin at midnight in").fill("Europe/Zurich");
    await control().button("Read it so").click();
    await control().button("Bring 5 days").waitFor();
    const shown = await seen(card());
    assert.match(shown, /15 days that you left out/);
    assert.match(shown, /Europe\/Zurich/);
    assert.doesNotMatch(shown, /the file does not say it/);
  });

  it("read a log by a pattern of its lines", async () => {
    await open();
    const line = `[${first()}T10:00:00Z] GET /a 200 of 192.0.2.1 by "${CHROME}"\n`;
    await choose(Buffer.from(line), "own.log");
    await control().sees(/own\.log looks like an access log, .*--log-format/);
    await control()
      .field("Lines of the log")
      .fill(
        '[$time_iso8601] $request_method $request_uri $status of $remote_addr by "$http_user_agent"',
      );
    await control().button("Read it so").click();
    await control().button("Bring 1 day").click();
    await control().sees(/^Brought 1 day from own\.log/);
  });

  it("say what a file is not, and take another one", async () => {
    await open();
    await choose(Buffer.from("hello"), "notes.txt");
    await control().sees(/^notes\.txt is nothing that can be imported\. These are known: /);
    await control().button("Cancel").click();
    await control().button("Choose a file…").waitFor();
    assert.equal((await importer().list()).upload, null);
  });

  it("go on with a file that was cut off, and only with that one", async () => {
    const bytes = await file();
    const { id } = (await importer().begin("example_com.zip", bytes.length)).json;
    await importer().put(id, 0, bytes.subarray(0, 1_000));
    await open();
    await control().sees(/^example_com\.zip is not here whole\./);
    await choose(bytes, "other.zip", "Go on with this file…");
    await control().sees(/^This is another file\./);
    await choose(bytes, "example_com.zip", "Go on with this file…");
    await control().button("Bring 20 days").waitFor();
  });

  it("send a piece again when the connection was cut", async () => {
    await open();
    let cuts = 0;
    await control().page.route("**/uploads/*?offset=*", (route) => {
      cuts += 1;
      return cuts <= 2 ? route.abort() : route.continue();
    });
    await choose(await file());
    await control().button("Bring 20 days").waitFor();
    assert.equal(cuts, 3);
    control().owner.expectTroubles(/ERR_FAILED/);
  });

  it("are done by the keyboard alone, which is led on", async () => {
    await importer().send(await file(), "here.zip", 1_000_000);
    await control().open("?tab=sites");
    await card().getByText("Import", { exact: true }).focus();
    await control().page.keyboard.press("Enter");
    await control().button("Read it").focus();
    await control().page.keyboard.press("Enter");
    await control().button("Bring 20 days").waitFor();
    // The focus is on the panel by now, so that the next stop is in it.
    const isIn = `document.activeElement.closest(".moving") !== null`;
    assert.equal(await control().page.evaluate(isIn), true);
    await control().button("Bring 20 days").focus();
    await control().page.keyboard.press("Enter");
    assert.match(
      await seen(card().getByRole("status").filter({ hasText: "Brought" })),
      /^Brought 20 days from here\.zip/,
    );
  });

  it("stumble nobody, and fit a phone", async () => {
    await importer().done(await importer().send(await file(), "old.zip", 1_000_000), "bring");
    await control().page.setViewportSize({ width: 360, height: 740 });
    await open();
    await card().getByText("Export", { exact: true }).click();
    await choose(await file(30, 15), "new.zip");
    await control().button("Bring 15 days…").waitFor();
    await card().getByText("Other days, or another zone").click();
    await control().owner.assertAccessibleInAnyLight(".site");
    const width = await control().page.evaluate("document.documentElement.scrollWidth");
    assert.equal(width, 360);
    await control().button("Bring 15 days…").click();
    await control().sees("Replace these 10 days?");
    await control().owner.assertAccessibleInAnyLight("dialog");
  });

  it("take a file that is dropped, and are undone by Cancel", async () => {
    await open();
    const bytes = [...(await file())];
    const handed = await control().page.evaluateHandle(`(() => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([new Uint8Array(${JSON.stringify(bytes)})], "dropped.zip"));
      return transfer;
    })()`);
    await card().locator(".drop").dispatchEvent("drop", { dataTransfer: handed });
    await control().sees("dropped.zip was read. Nothing is written yet.");
    await control().button("Cancel").click();
    await control().button("Choose a file…").waitFor();
    assert.deepEqual((await importer().list()).imports, []);
  });

  it("tell that a file is on its way into another site", async () => {
    await control().ask("POST", "/api/sites", { id: "other" });
    await new Importer(new Caller(control().world), "other").begin("far.zip", 1_000);
    await open();
    await control().sees(/far\.zip is on its way into other\./);
    await control().button("Cancel that one").click();
    await control().button("Choose a file…").waitFor();
  });

  it("download a site as a file, in three ways", async () => {
    await importer().done(await importer().send(await file(), "old.zip", 1_000_000), "bring");
    await open("Export");
    for (const [name, ending] of [
      ["Everything", /^blog_\d{8}\.jsonl\.gz$/],
      ["One table", /^blog_\d{8}\.csv\.gz$/],
      ["For Plausible", /^blog_\d{8}\.zip$/],
    ] as const) {
      const coming = control().page.waitForEvent("download");
      await card()
        .getByRole("link", { name: `Download blog: ${name}` })
        .click();
      const download = await coming;
      assert.match(download.suggestedFilename(), ending);
      assert.ok(readFileSync(await download.path()).length > 200);
    }
  });
});
