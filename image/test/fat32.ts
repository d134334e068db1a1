import { SECTOR } from "./block-log.ts";

/** The places of a file's bytes: everything a reader of it depends on. */
export interface FatFile {
  readonly name: string;
  readonly isFolder: boolean;
  readonly bytes: number;
  readonly clusters: readonly number[];
}

/** An entry of a folder. */
interface Named extends Omit<FatFile, "clusters"> {
  readonly first: number;
}

const ENTRY = 32;
const LONG_NAME = 0x0f;
const FOLDER = 0x10;
const LABEL = 0x08;
const LAST_CLUSTER = 0x0ffffff8;
const LOWER_NAME = 0x08;
const LOWER_EXTENSION = 0x10;
/** Offsets of the thirteen characters in an entry that holds part of a long name. */
const CHARACTERS = [1, 3, 5, 7, 9, 14, 16, 18, 20, 22, 24, 28, 30];

/**
 * A FAT32 file system as the firmware reads it: by its first table, and mending nothing (Microsoft's
 * "FAT32 File System Specification" 1.03).
 */
export class Fat32 {
  readonly #read: (sector: number, count: number) => Buffer;
  readonly #perCluster: number;
  readonly #table: number;
  readonly #data: number;
  readonly #root: number;

  /** `read` gives sectors, counted from the start of the file system. */
  constructor(read: (sector: number, count: number) => Buffer) {
    this.#read = read;
    const head = read(0, 1);
    this.#perCluster = head.readUInt8(13);
    this.#table = head.readUInt16LE(14);
    this.#data = this.#table + head.readUInt8(16) * head.readUInt32LE(36);
    this.#root = head.readUInt32LE(44);
  }

  /**
   * @returns undefined when it is not there
   * @throws {Error} when a chain of clusters does not end where the file does
   */
  file(path: string): FatFile | undefined {
    const names = path.split("/").filter((name) => name !== "");
    let here: FatFile = { name: "", isFolder: true, bytes: 0, clusters: this.#chain(this.#root) };
    for (const name of names) {
      const next = this.#list(here).find((each) => each.name.toLowerCase() === name.toLowerCase());
      if (next === undefined) return;
      here = this.#followed(next);
    }
    return here;
  }

  /** The files of a folder, not of those in it. */
  files(path: string): readonly FatFile[] {
    const folder = this.file(path);
    if (folder === undefined) return [];
    const files = this.#list(folder).filter(({ isFolder }) => !isFolder);
    return files.map((file) => this.#followed(file));
  }

  /**
   * Each cluster that something is said to lie in, as far as its chain goes; not what is in a folder of a
   * folder. What nobody starts from may be half written.
   */
  *claims(): Generator<{ readonly path: string; readonly cluster: number }> {
    const root = this.file("");
    for (const entry of root ? this.#list(root) : []) {
      yield* this.#claim(entry.name, entry.first);
      if (!entry.isFolder) continue;
      for (const inner of this.#inside(entry))
        yield* this.#claim(`${entry.name}/${inner.name}`, inner.first);
    }
  }

  #inside(folder: Named): Named[] {
    try {
      return this.#list(this.#followed(folder));
    } catch {
      return [];
    }
  }

  *#claim(path: string, first: number) {
    try {
      for (const cluster of this.#steps(first)) yield { path, cluster };
    } catch {}
  }

  content(file: FatFile): Buffer {
    const parts = file.clusters.map((cluster) => this.#cluster(cluster));
    return Buffer.concat(parts).subarray(0, file.isFolder ? undefined : file.bytes);
  }

  /** The sectors that hold a file's bytes. */
  *sectors(file: FatFile): Generator<number> {
    for (const cluster of file.clusters)
      for (let index = 0; index < this.#perCluster; index++) yield this.#at(cluster) + index;
  }

  /** No more than the folder's own bytes: what else is in it may be half written. */
  #list(folder: FatFile): Named[] {
    const found: Named[] = [];
    const all = this.content(folder);
    let long = "";
    for (let at = 0; at + ENTRY <= all.length; at += ENTRY) {
      const entry = all.subarray(at, at + ENTRY);
      if (entry[0] === 0) break;
      if (entry[0] === 0xe5) long = "";
      else if (entry[11] === LONG_NAME) long = longPart(entry) + long;
      else {
        if (((entry[11] ?? 0) & LABEL) === 0 && entry[0] !== 0x2e) found.push(named(entry, long));
        long = "";
      }
    }
    return found;
  }

  #followed({ name, isFolder, bytes, first }: Named): FatFile {
    const clusters = this.#chain(first);
    const wanted = Math.ceil(bytes / (this.#perCluster * SECTOR));
    if (!isFolder && clusters.length !== wanted)
      throw new Error(`${name} has ${bytes} bytes in ${clusters.length} clusters`);
    return { name, isFolder, bytes, clusters };
  }

  #chain(first: number): number[] {
    return [...this.#steps(first)];
  }

  *#steps(first: number): Generator<number> {
    let count = 0;
    const table = new Map<number, Buffer>();
    for (let cluster = first; cluster >= 2 && cluster < LAST_CLUSTER; ) {
      yield cluster;
      count += 1;
      if (count > 1 << 20) throw new Error("a chain of clusters never ends");
      const sector = Math.floor((cluster * 4) / SECTOR);
      const page = table.get(sector) ?? this.#read(this.#table + sector, 1);
      table.set(sector, page);
      cluster = page.readUInt32LE((cluster * 4) % SECTOR) & 0x0fffffff;
      if (cluster < 2) throw new Error("a chain of clusters breaks off");
    }
  }

  #cluster(cluster: number): Buffer {
    return this.#read(this.#at(cluster), this.#perCluster);
  }

  #at(cluster: number): number {
    return this.#data + (cluster - 2) * this.#perCluster;
  }
}

function named(entry: Buffer, long: string): Named {
  return {
    name: long || shortName(entry),
    isFolder: ((entry[11] ?? 0) & FOLDER) !== 0,
    bytes: entry.readUInt32LE(28),
    first: (entry.readUInt16LE(20) << 16) | entry.readUInt16LE(26),
  };
}

function longPart(entry: Buffer): string {
  let part = "";
  for (const at of CHARACTERS) {
    const code = entry.readUInt16LE(at);
    if (code === 0 || code === 0xffff) break;
    part += String.fromCharCode(code);
  }
  return part;
}

/** Linux and Windows note there whether an upper-case name was given in lower case. */
function shortName(entry: Buffer): string {
  const cases = entry[12] ?? 0;
  const cased = (text: string, bit: number) => (cases & bit ? text.toLowerCase() : text);
  const name = cased(entry.toString("latin1", 0, 8).trimEnd(), LOWER_NAME);
  const extension = cased(entry.toString("latin1", 8, 11).trimEnd(), LOWER_EXTENSION);
  return extension === "" ? name : `${name}.${extension}`;
}
