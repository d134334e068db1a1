import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { formatDay, parseDay } from "../../appliance/base/calendar.ts";
import type { ImportsAnswer, ImportUpload } from "../../appliance/control/wire.ts";
import { smallPlausible, writePlausible } from "./foreign-exports.ts";
import type { Owner } from "./owner.ts";
import type { Reply } from "./world.ts";

const LOOK_MS = 75;
/** Shorter than a month takes to be written. */
const SHORT_LOOK_MS = 5;
const BYTES = { "content-type": "application/octet-stream" };

/** Days from one on, as texts. */
export function daysFrom(first: string, count: number): string[] {
  const from = parseDay(first) ?? assert.fail(first);
  return Array.from({ length: count }, (_, at) => formatDay(from + at));
}

/** A small export of Plausible with these days, as its bytes. */
export async function plausibleBytes(folder: string, days: readonly string[]): Promise<Buffer> {
  const path = join(folder, "plausible-made.zip");
  await writePlausible(path, smallPlausible(days));
  return readFileSync(path);
}

/** Somebody who imports into a site by the control API. */
export class Importer {
  readonly owner: Owner;
  readonly path: string;

  constructor(owner: Owner, site = "blog") {
    this.owner = owner;
    this.path = `/api/sites/${site}`;
  }

  begin(name: string, size: number): Promise<Reply> {
    return this.owner.ask("POST", `${this.path}/uploads`, { name, size });
  }

  put(id: string, offset: number, piece: Buffer): Promise<Reply> {
    const path = `${this.path}/uploads/${id}?offset=${offset}`;
    return this.owner.ask("PUT", path, piece, { headers: BYTES });
  }

  /** Sends a whole file in pieces. @returns its id */
  async send(bytes: Buffer, name = "example_com.zip", pieceBytes = 1_000): Promise<string> {
    const begun = await this.begin(name, bytes.length);
    assert.equal(begun.status, 201, begun.text);
    const { id } = begun.json as ImportUpload;
    for (let at = 0; at < bytes.length; at += pieceBytes) {
      const put = await this.put(id, at, bytes.subarray(at, at + pieceBytes));
      assert.equal(put.status, 200, put.text);
    }
    return id;
  }

  work(id: string, what: "inspect" | "bring", wishes: object = {}): Promise<Reply> {
    return this.owner.ask("POST", `${this.path}/uploads/${id}/${what}`, wishes);
  }

  /** Waits until nothing is at work on it. */
  async rested(id: string): Promise<ImportUpload> {
    for (;;) {
      const view: ImportUpload = await this.owner.get(`${this.path}/uploads/${id}`);
      if (view.state !== "reading" && view.state !== "writing") return view;
      await setTimeout(LOOK_MS);
    }
  }

  /** Has the box work on it. @returns how it is then */
  async done(id: string, what: "inspect" | "bring", wishes: object = {}): Promise<ImportUpload> {
    const reply = await this.work(id, what, wishes);
    assert.equal(reply.status, 202, reply.text);
    return this.rested(id);
  }

  /** Resolves when more than this share of the work is done; calls `meanwhile` as often as it looks. */
  async passed(share: number, meanwhile = () => {}): Promise<void> {
    while (((await this.list()).upload?.share ?? 1) <= share) {
      meanwhile();
      await setTimeout(SHORT_LOOK_MS);
    }
  }

  list(): Promise<ImportsAnswer> {
    return this.owner.get(`${this.path}/imports`);
  }
}
