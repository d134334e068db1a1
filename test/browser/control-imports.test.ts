import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { dayOf, formatDay } from "../../appliance/base/calendar.ts";
import { CHROME } from "../helpers/access-logs.ts";
import { sharedFolder } from "../helpers/folder.ts";
import { Owner as Caller } from "../helpers/owner.ts";
import { daysFrom, Importer, plausibleBytes } from "../helpers/uploading.ts";
import { sharedControl } from "./control-stage.ts";
import { seen } from "./owner.ts";

const DAYS = 20;

describe("imports and exports in the Web UI", () => {
  const control = sharedControl();
  const folder = sharedFolder();
  /** Each sentence has a site of its own; one file is on its way at a time. */
  const sites = ["whole", "again", "anew", "log", "nothing", "cut", "other", "out"];
  let site = "";
  before(async () => {
    for (const id of sites) await control().ask("POST", "/api/sites", { id });
  });
  afterEach(async () => {
    for (const id of sites) {
      const { owner, path } = importer(id);
      const { upload } = await importer(id).list();
      if (upload !== null) await owner.ask("DELETE", `${path}/uploads/${upload.id}`);
    }
  });
  const card = () => control().region(site);
  const button = (name: string) => card().getByRole("button", { name, exact: true });
  const field = (label: string) => card().getByLabel(label, { exact: true });
  const sees = (text: string | RegExp) => card().getByText(text).first().waitFor();
  const first = (ago = 40) => formatDay(dayOf(Date.now()) - ago);
  const open = async (id: string, what = "Import") => {
    site = id;
    await control().visit(`?tab=sites&site=${id}`);
    await card().getByText(what, { exact: true }).click();
  };
  const choose = async (buffer: Buffer, name = "example_com.zip", label = "Choose a file…") =>
    card()
      .locator(`input[type=file][aria-label="${label}"]`)
      .setInputFiles({ name, mimeType: "application/zip", buffer });
  const file = (ago = 40, days = DAYS) => plausibleBytes(folder(), daysFrom(first(ago), days));
  const importer = (id = site) => new Importer(new Caller(control().world), id);
  const bring = async (id: string, bytes: Buffer, name: string) =>
    importer(id).done(await importer(id).send(bytes, name, 1_000_000), "bring");

  it("bring a whole export of Plausible by the keyboard alone, seen first, and lead to where it begins", async () => {
    const press = async (name: string) => {
      await button(name).focus();
      await control().page.keyboard.press("Enter");
    };
    await open("whole");
    await choose(await file());
    await sees("example_com.zip was read. Nothing is written yet.");
    const shown = await seen(card());
    assert.match(shown, /Plausible/);
    assert.match(shown, /20 days with counts/);
    assert.match(shown, /600 views, 200 visitors, 240 sessions/);
    assert.match(shown, /UTC\s+the file does not say it/);
    assert.match(shown, /20 pages on which sessions ended/);
    await press("Import 20 days");
    assert.match(
      await seen(card().getByRole("status").filter({ hasText: "Imported" })),
      /^Imported 20 days from example_com\.zip: /,
    );
    const link = card().getByRole("link", { name: "Open the dashboard where they begin" });
    const to = daysFrom(first(), DAYS).at(-1) ?? "";
    assert.match(
      (await link.getAttribute("href")) ?? "",
      new RegExp(`/dashboard\\?site=whole&from=${first()}&to=${to}$`),
    );
    const views = async () => (await control().world.stats({ site, from: first(), to })).pv;
    assert.deepEqual(await views(), { _: 600 });
    const list = card().getByRole("list", { name: "Imports of whole" });
    assert.match(await seen(list), /example_com\.zip\s+Plausible, .*: 20 days, 600 views/);
    await press("Delete example_com.zip…");
    await control().button("Delete").focus();
    await control().page.keyboard.press("Enter");
    await list.waitFor({ state: "detached" });
    assert.equal(await views(), undefined);
  });

  it("ask before they take the place of another import, stumble nobody, and fit a phone", async () => {
    await bring("again", await file(), "old.zip");
    await control().page.setViewportSize({ width: 360, height: 740 });
    await open("again");
    await card().getByText("Export", { exact: true }).click();
    await choose(await file(30, 15), "new.zip");
    await sees("10 days of these came with old.zip before.");
    await card().getByText("Other days, or another zone").click();
    await control().owner.assertAccessibleInAnyLight('[aria-labelledby="site-again"]');
    const width = await control().page.evaluate("document.documentElement.scrollWidth");
    assert.equal(width, 360);
    await button("Import 15 days…").click();
    await control().sees("Replace these 10 days?");
    await control().owner.assertAccessibleInAnyLight("dialog");
    await control().button("Replace").click();
    await sees(/^Imported 15 days from new\.zip/);
    const { imports } = await importer().list();
    assert.deepEqual(
      imports.map(({ name, days }) => [name, days]),
      [
        ["new.zip", 15],
        ["old.zip", 10],
      ],
    );
    await control().page.setViewportSize({ width: 1200, height: 900 });
  });

  it("take a file that is dropped, read it anew by the days and the zone that are named, and are undone by Cancel", async () => {
    await open("anew");
    const bytes = [...(await file())];
    const handed = await control().page.evaluateHandle(`(() => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([new Uint8Array(${JSON.stringify(bytes)})], "dropped.zip"));
      return transfer;
    })()`);
    await card().locator(".drop").dispatchEvent("drop", { dataTransfer: handed });
    await sees("dropped.zip was read. Nothing is written yet.");
    await card().getByText("Other days, or another zone").click();
    await field("From").fill(first(30));
    await field("To").fill(first(26));
    await field("Days of the file begin at midnight in").fill("Mars/X");
    await button("Read again").click();
    await sees(/^Zone must be a time zone/);
    control().owner.expectTrouble(/400/);
    await field("Days of the file begin at midnight in").fill("Europe/Zurich");
    await button("Read again").click();
    await button("Import 5 days").waitFor();
    const shown = await seen(card());
    assert.match(shown, /15 days that you left out/);
    assert.match(shown, /Europe\/Zurich/);
    assert.doesNotMatch(shown, /the file does not say it/);
    await button("Cancel").click();
    await button("Choose a file…").waitFor();
    assert.deepEqual((await importer().list()).imports, []);
  });

  it("read a log by a pattern of its lines", async () => {
    await open("log");
    const line = `[${first()}T10:00:00Z] GET /a 200 of 192.0.2.1 by "${CHROME}"\n`;
    await choose(Buffer.from(line), "own.log");
    await sees(/own\.log looks like an access log, .*--log-format/);
    await field("Lines of the log").fill(
      '[$time_iso8601] $request_method $request_uri $status of $remote_addr by "$http_user_agent"',
    );
    await button("Read again").click();
    await button("Import 1 day").click();
    await sees(/^Imported 1 day from own\.log/);
  });

  it("read a file that is here when they are told to, say what it is not, and take another one", async () => {
    await importer("nothing").send(Buffer.from("hello"), "notes.txt");
    await open("nothing");
    await button("Read it").focus();
    await control().page.keyboard.press("Enter");
    await sees(/^notes\.txt is nothing that can be imported\. These are known: /);
    // The focus is on the panel by now, so that the next stop is in it.
    const isIn = `document.activeElement.closest(".moving") !== null`;
    assert.equal(await control().page.evaluate(isIn), true);
    await choose(await file(), "example_com.zip", "Choose another file…");
    await sees("example_com.zip was read. Nothing is written yet.");
    await button("Cancel").click();
    await button("Choose a file…").waitFor();
    assert.equal((await importer().list()).upload, null);
  });

  it("go on with a file that was cut off, and only with that one, however often it is cut", async () => {
    const bytes = await file();
    const { id } = (await importer("cut").begin("example_com.zip", bytes.length)).json;
    await importer("cut").put(id, 0, bytes.subarray(0, 1_000));
    await open("cut");
    await sees(/^example_com\.zip is not here whole\./);
    await choose(bytes, "other.zip", "Go on with this file…");
    await sees(/^This is another file\./);
    let cuts = 0;
    await control().page.route("**/uploads/*?offset=*", (route) => {
      cuts += 1;
      return cuts <= 2 ? route.abort() : route.continue();
    });
    await choose(bytes, "example_com.zip", "Go on with this file…");
    await button("Import 20 days").waitFor();
    assert.equal(cuts, 3);
    control().owner.expectTroubles(/ERR_FAILED/);
  });

  it("tell that a file is on its way into another site", async () => {
    await importer("other").begin("far.zip", 1_000);
    await open("blog");
    await sees(/far\.zip is on its way into other\./);
    await button("Cancel that one").click();
    await button("Choose a file…").waitFor();
  });

  it("download a site as a file, in three ways", async () => {
    await bring("out", await file(), "old.zip");
    await open("out", "Export");
    for (const [name, ending] of [
      ["Everything", /^out_\d{8}\.jsonl\.gz$/],
      ["One table", /^out_\d{8}\.csv\.gz$/],
      ["For Plausible", /^out_\d{8}\.zip$/],
    ] as const) {
      const coming = control().page.waitForEvent("download");
      await card()
        .getByRole("link", { name: `Download out: ${name}` })
        .click();
      const download = await coming;
      assert.match(download.suggestedFilename(), ending);
      assert.ok(readFileSync(await download.path()).length > 200);
    }
  });
});
