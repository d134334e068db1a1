import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { replay } from "../../image/test/replay.ts";

const SECTOR = 512;
const RESERVED = 2;
const TABLE = 1;
const CLUSTERS = 60;
/** The root folder, and those of the slots. */
const [ROOT, A, B] = [2, 3, 4];
const LAST = 0x0fffffff;
/** The beginning of the partition on the card. */
const FROM = 8;

/** A file system of one sector a cluster; clusters are given to files by hand. */
class Fat {
  readonly bytes = Buffer.alloc((RESERVED + TABLE + CLUSTERS) * SECTOR);

  constructor() {
    this.bytes.writeUInt16LE(SECTOR, 11);
    this.bytes.writeUInt8(1, 13);
    this.bytes.writeUInt16LE(RESERVED, 14);
    this.bytes.writeUInt8(1, 16);
    this.bytes.writeUInt32LE(TABLE, 36);
    this.bytes.writeUInt32LE(ROOT, 44);
    for (const folder of [ROOT, A, B]) this.link([folder]);
    this.enter(ROOT, 0, "a", { first: A, isFolder: true });
    this.enter(ROOT, 1, "b", { first: B, isFolder: true });
  }

  link(clusters: readonly number[]): void {
    for (const [index, cluster] of clusters.entries())
      this.bytes.writeUInt32LE(clusters[index + 1] ?? LAST, RESERVED * SECTOR + cluster * 4);
  }

  /** Puts an entry into a folder: lower case, eight characters and three. */
  enter(
    folder: number,
    at: number,
    name: string,
    { first, bytes = 0, isFolder = false }: { first: number; bytes?: number; isFolder?: boolean },
  ): void {
    const entry = Buffer.alloc(32, " ", "latin1").fill(0, 11);
    const [base = "", extension = ""] = name.toUpperCase().split(".");
    entry.write(base, 0, "latin1");
    entry.write(extension, 8, "latin1");
    entry.writeUInt8(isFolder ? 0x10 : 0x20, 11);
    entry.writeUInt8(0x18, 12);
    entry.writeUInt16LE(first, 26);
    entry.writeUInt32LE(bytes, 28);
    entry.copy(this.bytes, this.at(folder) + at * 32);
  }

  file(folder: number, at: number, name: string, first: number, content: string): void {
    const count = Math.ceil(content.length / SECTOR);
    this.link(Array.from({ length: count }, (_, index) => first + index));
    this.bytes.write(content, this.at(first), "latin1");
    this.enter(folder, at, name, { first, bytes: content.length });
  }

  at(cluster: number): number {
    return this.sector(cluster) * SECTOR;
  }

  sector(cluster: number): number {
    return RESERVED + TABLE + cluster - 2;
  }

  copy(): Fat {
    const fat = new Fat();
    this.bytes.copy(fat.bytes);
    return fat;
  }
}

const configOf = (slot: string) => `os_prefix=${slot}/\n`.padEnd(700, "#");

/** The card: config.txt names a, and b is whole. The new config.txt lies beside it under another name. */
function card(): Fat {
  const fat = new Fat();
  fat.file(A, 0, "vmlinuz", 10, "old kernel".repeat(100));
  fat.file(B, 0, "vmlinuz", 20, "new kernel".repeat(100));
  fat.file(ROOT, 2, "config.txt", 30, configOf("a"));
  fat.file(ROOT, 3, "tryboot.txt", 40, configOf("b"));
  return fat;
}

/** config.txt's entry leads to what tryboot.txt held. */
function kept(): Fat {
  const fat = card();
  fat.enter(ROOT, 2, "config.txt", { first: 40, bytes: 700 });
  fat.bytes[fat.at(ROOT) + 3 * 32] = 0xe5;
  return fat;
}

describe("the replay of what was written to a boot partition", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "tallydeck-replay-"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  /** Writes of a machine in order: sectors in their last state, and flushes. */
  type Step = "flush" | { readonly sector: number; readonly of: Fat };

  function replayed(after: Fat, steps: readonly Step[]): { prefixes: number; subsets: number } {
    const path = (name: string, content: Buffer) => {
      writeFileSync(join(folder, name), content);
      return join(folder, name);
    };
    const onCard = ({ bytes }: Fat) => Buffer.concat([Buffer.alloc(FROM * SECTOR), bytes]);
    return replay({
      before: path("before", onCard(card())),
      after: path("after", onCard(after)),
      log: path("log", logOf(steps)),
      from: FROM,
      to: FROM + RESERVED + TABLE + CLUSTERS,
      slotOf: (config) => /os_prefix=(.)/.exec(config)?.[1] ?? "",
      seed: 1,
      subsets: 20,
    });
  }

  it("finds a whole system where one write to a folder makes the change", () => {
    const after = kept();
    const counts = replayed(after, [{ sector: after.sector(ROOT), of: after }, "flush"]);
    assert.deepEqual(counts, { prefixes: 1, subsets: 0 });
  });

  it("sees a config.txt that is half the old one", () => {
    const after = card();
    after.file(ROOT, 2, "config.txt", 30, configOf("b").replaceAll("#", "+"));
    const steps = [30, 31].map((cluster) => ({ sector: after.sector(cluster), of: after }));
    assert.throws(() => replayed(after, steps), /config\.txt is neither old nor new/);
  });

  it("sees the system deleted that config.txt still names, if the card loses what came between", () => {
    const after = kept();
    const emptied = after.copy();
    emptied.bytes[emptied.at(A)] = 0xe5;
    const [named, deleted] = [
      { sector: after.sector(ROOT), of: after },
      { sector: after.sector(A), of: emptied },
    ];
    assert.throws(() => replayed(emptied, [named, deleted]), /a\/vmlinuz is not whole/);
    assert.deepEqual(replayed(emptied, [named, "flush", deleted]), { prefixes: 2, subsets: 0 });
  });

  it("sees the folder of the other system without a place", () => {
    const after = card();
    after.bytes.writeUInt32LE(0, RESERVED * SECTOR + B * 4);
    const steps: Step[] = [{ sector: RESERVED, of: after }];
    assert.throws(() => replayed(card(), steps), /the folder b has no place/);
  });

  it("sees another file given the place of the system that config.txt names", () => {
    const after = card();
    after.enter(ROOT, 4, "fill", { first: 10, bytes: 1_000 });
    const steps: Step[] = [{ sector: after.sector(ROOT), of: after }];
    assert.throws(() => replayed(after, steps), /a\/vmlinuz and fill lie in the same place/);
  });

  it("sees the place of the old config.txt given away before its name leads elsewhere", () => {
    const after = kept();
    after.bytes.fill(0, RESERVED * SECTOR + 30 * 4, RESERVED * SECTOR + 32 * 4);
    const [named, given] = [
      { sector: after.sector(ROOT), of: after },
      { sector: RESERVED, of: after },
    ];
    assert.throws(() => replayed(after, [named, given]), /breaks off/);
    assert.equal(replayed(after, [named, "flush", given]).prefixes, 2);
  });

  it("bears one file under both names of a config.txt that is being kept", () => {
    const after = card();
    after.enter(ROOT, 2, "config.txt", { first: 40, bytes: 700 });
    const counts = replayed(after, [{ sector: after.sector(ROOT), of: after }, "flush"]);
    assert.equal(counts.prefixes, 1);
  });

  it("sees another file written over the system that config.txt names", () => {
    const after = card();
    after.bytes.write("x", after.at(11), "latin1");
    const steps: Step[] = [
      { sector: after.sector(11), of: after },
      { sector: after.sector(ROOT), of: after },
    ];
    assert.throws(() => replayed(kept(), steps), /a\/vmlinuz holds something else/);
  });
});

/** A log in the form of dm-log-writes. */
function logOf(
  steps: readonly ("flush" | { readonly sector: number; readonly of: Fat })[],
): Buffer {
  const head = Buffer.alloc(SECTOR);
  head.writeBigUInt64LE(0x6a736677736872n, 0);
  head.writeBigUInt64LE(1n, 8);
  head.writeUInt32LE(SECTOR, 24);
  const entries = steps.map((step) => {
    const entry = Buffer.alloc(SECTOR);
    if (step === "flush") {
      entry.writeBigUInt64LE(1n, 16);
      return entry;
    }
    entry.writeBigUInt64LE(BigInt(FROM + step.sector), 0);
    entry.writeBigUInt64LE(1n, 8);
    const at = step.sector * SECTOR;
    return Buffer.concat([entry, step.of.bytes.subarray(at, at + SECTOR)]);
  });
  return Buffer.concat([head, ...entries]);
}
