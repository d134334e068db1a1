import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { DOCUMENT_KINDS } from "../../../appliance/app/service/document-kinds.ts";
import { SESSION } from "../../../appliance/base/documents.ts";
import { databaseFile } from "../../../appliance/store/sqlite/database.ts";
import { Owner } from "../../helpers/owner.ts";
import { eachWorld } from "../../helpers/world.ts";

const APPLIANCE = join(import.meta.dirname, "../../../appliance");

describe("what is set", () => {
  const world = eachWorld();

  it("is there after a restart, whatever kind it is of", async () => {
    const owner = new Owner(world());
    await owner.makePushToken("door");
    const hue = { origin: "http://192.168.1.20:8123" };
    assert.equal((await owner.ask("POST", "/api/origins", hue)).status, 201);
    const broker = { enabled: false, url: "mqtt://broker.local" };
    assert.equal((await owner.ask("PUT", "/api/mqtt", broker)).status, 200);
    const all = async () => [
      (await owner.get("/api/push-tokens")).tokens.map(({ name }: { name: string }) => name),
      (await owner.get("/api/origins")).origins,
      (await owner.get("/api/mqtt")).settings?.url,
    ];
    const before = await all();
    await world().restart();
    assert.deepEqual(await all(), before);
  });

  it("ends a start at a page that names it, where a card has bent it", async () => {
    await new Owner(world()).makePushToken("door");
    await world().stop();
    const db = new Database(databaseFile(world().dataDir));
    db.exec(
      `UPDATE document SET body = json_set(body, '$.paused', 'often') WHERE kind = 'push_token'`,
    );
    db.close();
    await world().start();
    assert.match(
      world().service.unusable?.message ?? "",
      /cannot be read as a start has to \(the push_token \w{8} \/paused must be boolean\)/,
    );
  });

  it("is read through at a start, no kind left out", () => {
    const files = readdirSync(APPLIANCE, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts") && name !== "base/documents.ts")
      .map((name) => readFileSync(join(APPLIANCE, name), "utf8"));
    const declared = files.flatMap((text) =>
      [...text.matchAll(/= documentKind(?:<[^(]*>)?\(\s*(?:"(\w+)"|SESSION)/g)].map(
        ([, name = SESSION]) => name,
      ),
    );
    const listed = DOCUMENT_KINDS.map(({ name }) => name);
    const list =
      "Name it in DOCUMENT_KINDS of service/document-kinds, or SITE_SETTINGS of store/sites/kinds.";
    assert.deepEqual(
      [...listed].sort(),
      declared.sort(),
      `There is a kind that is not listed. ${list}`,
    );
    const marks = files.flatMap((text) => [...text.matchAll(/= documentKind[<(]/g)]);
    assert.equal(marks.length, declared.length);
  });
});
