import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { configWithSlot } from "../../../appliance/box/updater/boot-partition.ts";
import { copyData, settleCopy } from "../../../appliance/box/updater/data-copy.ts";
import { type Attempt, writeJournal } from "../../../appliance/box/updater/journal.ts";
import { Card, NEXT, OLD } from "./card.ts";

export const DATA = "data/tallydeck";

/** The data of the release before. */
export const OLD_DATA = {
  "tallydeck.db": "old",
  "tallydeck.db-wal": "old log",
  "tallydeck.db.made": "made",
};

export function attempt(changed: Partial<Attempt> = {}): Attempt {
  return {
    id: "one",
    kind: "update",
    slot: "b",
    to: NEXT,
    from: OLD,
    state: "armed",
    breaksData: true,
    ...changed,
  };
}

export const PREPARED = attempt({ id: "prepared", state: "prepared" });

/** A card with data, and a release beside it that writes what the running one cannot read. */
export class DataCard extends Card {
  constructor() {
    super();
    this.putData();
  }

  putData(): void {
    rmSync(join(this.root, "data"), { recursive: true });
    mkdirSync(join(this.root, "data/system"), { recursive: true });
    for (const [name, content] of Object.entries(OLD_DATA)) this.write(`${DATA}/${name}`, content);
    this.write(`${DATA}/tls/key.pem`, "key");
  }

  /** The data of the service, without copies. */
  data(): Record<string, string> {
    const files = readdirSync(join(this.root, DATA)).filter((name) =>
      name.startsWith("tallydeck.db"),
    );
    return Object.fromEntries(files.map((name) => [name, this.read(`${DATA}/${name}`)]));
  }

  isKept(): boolean {
    return existsSync(join(this.root, "data/system/data-before"));
  }

  note(changed?: Partial<Attempt>): void {
    writeJournal(this.box(), { ...this.journal(), attempt: attempt(changed) });
  }

  keepData(box = this.box()): void {
    copyData(box, PREPARED, "one");
  }

  /** Up to the restart that is armed. */
  arm(): void {
    this.putSlot("b", NEXT);
    this.keepData();
    this.write("boot/firmware/tryboot.txt", configWithSlot(this.config(), "b"));
    this.note();
  }

  /** Written to the other slot, and asked for by the owner. */
  async startNext(): Promise<void> {
    this.putSlot("b", NEXT);
    for (const name of ["vmlinuz", "initrd.img", "cmdline.txt"])
      this.write(`boot/firmware/b/${name}`, name);
    this.note({ id: "prepared", state: "prepared" });
    await this.request("arm", `${NEXT.release}`);
  }

  /** The release is tried and writes what the one before cannot read. */
  async tryNext(): Promise<void> {
    this.arm();
    this.start("b");
    settleCopy(this.box());
    assert.equal(this.data()["tallydeck.db"], "old");
    await this.bootSlot("b");
    this.write(`${DATA}/tallydeck.db`, "new");
    this.write(`${DATA}/tallydeck.db-wal`, "new log");
    this.write(`${DATA}/tallydeck.db-shm`, "new memory");
  }

  /** The board goes back to the slot before, which starts. */
  async fallBack(): Promise<void> {
    this.start("a");
    await this.startOld();
  }

  /** The slot before starts, as systemd orders it. */
  async startOld(): Promise<void> {
    settleCopy(this.box());
    await this.bootSlot("a");
  }
}
