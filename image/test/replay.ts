import assert from "node:assert/strict";
import { closeSync, openSync, readSync } from "node:fs";
import { randomFrom } from "../../appliance/traffic/demo/random.ts";
import { readBlockLog, SECTOR, type Told } from "./block-log.ts";
import { Fat32, type FatFile } from "./fat32.ts";

/** Files of the slot that a config.txt names, and what may never differ of them. */
interface Whole {
  readonly files: ReadonlyMap<string, FatFile>;
  readonly sectors: ReadonlySet<number>;
  readonly content: ReadonlyMap<string, Buffer>;
}

interface Replay {
  /** A card as it was when the log began, and as it was when it ended. */
  readonly before: string;
  readonly after: string;
  readonly log: string;
  /** The place of its boot partition, in sectors. */
  readonly from: number;
  readonly to: number;
  /** The folder that a config.txt names. */
  readonly slotOf: (config: string) => string;
  readonly seed: number;
  /** The number of random parts, of each interval between two flushes, that a losing card may have kept. */
  readonly subsets: number;
}

/**
 * Replays what a machine wrote to its boot partition to each sector of what is no file of a system, and,
 * for a card that loses its cache, to random parts of what lies between two flushes. In each state
 * config.txt must be the old or the new one, whole, and so must the system that it names.
 * @returns how many states were looked at
 */
export function replay(options: Replay): { prefixes: number; subsets: number } {
  const { log, from, to, seed, subsets } = options;
  const judge = new Judge(options);
  const random = randomFrom(seed);
  const count = { prefixes: 0, subsets: 0 };
  let interval: Told[] = [];
  const close = () => {
    for (let round = 0; round < subsets && interval.length > 1; round++) {
      const share = random();
      judge.tryOut(interval.filter(({ isForced }) => isForced || random() < share));
      count.subsets += 1;
    }
    for (const told of interval) count.prefixes += judge.write(told);
    interval = [];
  };
  try {
    judge.look("at the start");
    for (const told of readBlockLog(log, { from, to })) {
      if (told.isFlush) close();
      if (told.data.length > 0) interval.push({ ...told, at: told.at - from });
    }
    close();
  } finally {
    judge.close();
  }
  return count;
}

/** Names that an attempt gives to what becomes config.txt. */
const MAY_BE_CONFIG = /^(?:tryboot\.txt|config\.\d)$/;

/** The boot partition in the state that was replayed so far. */
class Judge {
  readonly #disk: Overlay;
  readonly #configs: readonly string[];
  readonly #slots: ReadonlyMap<string, Whole>;
  readonly #slotOf: (config: string) => string;
  /** Sectors of a system's files, at the start or the end. */
  readonly #data = new Set<number>();
  /** Systems whose bytes were compared since they were last written to. */
  readonly #compared = new Set<string>();

  constructor({ before, after, from, slotOf }: Replay) {
    this.#disk = new Overlay(before, from);
    this.#slotOf = slotOf;
    const slots = new Map<string, Whole>();
    const configs: string[] = [];
    for (const card of [after, before]) {
      const disk = new Overlay(card, from);
      const fat = new Fat32(disk.read);
      const config = textOf(fat, "config.txt");
      configs.push(config);
      slots.set(slotOf(config), wholeOf(fat, slotOf(config)));
      for (const slot of ["a", "b"])
        for (const file of fat.files(slot))
          for (const sector of fat.sectors(file)) this.#data.add(sector);
      disk.close();
    }
    this.#configs = configs;
    this.#slots = slots;
  }

  /** Writes sector by sector, and looks after each that is no system's. */
  write({ at, data }: Told): number {
    let looked = 0;
    for (let offset = 0; offset < data.length; offset += SECTOR) {
      const sector = at + offset / SECTOR;
      this.#put(sector, data.subarray(offset, offset + SECTOR));
      if (this.#data.has(sector)) continue;
      this.look(`after sector ${sector} was written`);
      looked += 1;
    }
    return looked;
  }

  /** Looks at what would be there if only these had come to the card, and takes them back. */
  tryOut(some: readonly Told[]): void {
    const compared = [...this.#compared];
    const undo = this.#disk.mark();
    for (const { at, data } of some)
      for (let offset = 0; offset < data.length; offset += SECTOR)
        this.#put(at + offset / SECTOR, data.subarray(offset, offset + SECTOR));
    const untouched = compared.filter((slot) => this.#compared.has(slot));
    this.look(`with ${some.length} writes of an interval`);
    undo();
    this.#compared.clear();
    for (const slot of untouched) this.#compared.add(slot);
  }

  #put(sector: number, data: Buffer): void {
    this.#disk.write(sector, data);
    for (const [slot, { sectors }] of this.#slots)
      if (sectors.has(sector)) this.#compared.delete(slot);
  }

  look(when: string): void {
    const fat = new Fat32(this.#disk.read);
    const config = textOf(fat, "config.txt");
    assert.ok(
      this.#configs.includes(config),
      `${when} config.txt is neither old nor new: ${config}`,
    );
    const slot = this.#slotOf(config);
    const whole = this.#slots.get(slot);
    assert.ok(whole, `${when} config.txt names ${slot}`);
    for (const [name, wanted] of whole.files)
      assert.deepEqual(fat.file(`${slot}/${name}`), wanted, `${when} ${slot}/${name} is not whole`);
    // The image brings both, so that no box makes one: its name would be there before its place is.
    for (const folder of ["a", "b"])
      assert.doesNotThrow(() => fat.file(folder), `${when} the folder ${folder} has no place`);
    this.#lookForShared(fat, slot, when);
    if (this.#compared.has(slot)) return;
    for (const [name, wanted] of whole.files)
      assert.ok(
        fat.content(wanted).equals(whole.content.get(name) ?? Buffer.alloc(0)),
        `${when} ${slot}/${name} holds something else`,
      );
    this.#compared.add(slot);
  }

  /** Finds files that share clusters: deleting one would free those of the other. */
  #lookForShared(fat: Fat32, slot: string, when: string): void {
    const owners = new Map<number, string>();
    for (const { path, cluster } of fat.claims()) {
      // A rename that is cut leaves one file under two names, which removeTryboot knows.
      if (MAY_BE_CONFIG.test(path)) continue;
      const other = owners.get(cluster);
      owners.set(cluster, path);
      const isStarted = [path, other].some(
        (each) => each === "config.txt" || each?.startsWith(`${slot}/`),
      );
      assert.ok(
        other === undefined || !isStarted,
        `${when} ${other} and ${path} lie in the same place`,
      );
    }
  }

  close(): void {
    this.#disk.close();
  }
}

function wholeOf(fat: Fat32, slot: string): Whole {
  const files = fat.files(slot);
  assert.ok(files.length > 0, `${slot} holds nothing`);
  return {
    files: new Map(files.map((file) => [file.name, file])),
    sectors: new Set(files.flatMap((file) => [...fat.sectors(file)])),
    content: new Map(files.map((file) => [file.name, Buffer.from(fat.content(file))])),
  };
}

function textOf(fat: Fat32, name: string): string {
  const file = fat.file(name);
  assert.ok(file, `${name} is not there`);
  return fat.content(file).toString("latin1");
}

/** A partition of a file, with what was written since, which stays in memory. */
class Overlay {
  readonly #file: number;
  readonly #from: number;
  readonly #written = new Map<number, Buffer>();
  #undo: Map<number, Buffer | undefined> | undefined;

  constructor(file: string, from: number) {
    this.#file = openSync(file, "r");
    this.#from = from;
  }

  readonly read = (sector: number, count: number): Buffer => {
    const bytes = Buffer.alloc(count * SECTOR);
    readSync(this.#file, bytes, 0, bytes.length, (this.#from + sector) * SECTOR);
    for (let index = 0; index < count; index++)
      this.#written.get(sector + index)?.copy(bytes, index * SECTOR);
    return bytes;
  };

  write(sector: number, data: Buffer): void {
    if (this.#undo && !this.#undo.has(sector)) this.#undo.set(sector, this.#written.get(sector));
    this.#written.set(sector, data);
  }

  /** @returns what takes back all that is written from now on */
  mark(): () => void {
    const undo = new Map<number, Buffer | undefined>();
    this.#undo = undo;
    return () => {
      for (const [sector, data] of undo)
        if (data) this.#written.set(sector, data);
        else this.#written.delete(sector);
      this.#undo = undefined;
    };
  }

  close(): void {
    closeSync(this.#file);
  }
}
