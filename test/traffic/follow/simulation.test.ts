import assert from "node:assert/strict";
import { Follower, type LogFile } from "../../../appliance/traffic/follow/follower.ts";
import { seeded } from "../../helpers/seeded.ts";
import { eachLife } from "../../helpers/simulated.ts";

const NAME = "access.log";
const SECONDS = 3_600;

/** A file on the disk of the simulation. */
interface SimFile {
  readonly inode: number;
  /** ASCII, so that a character is a byte: files are looked at far more often than written. */
  content: string;
  changedAt: number;
}

/** An error of the world, after which a process goes on, or is dead. */
class Trouble extends Error {}

/** A web server with its log, logrotate, a follower, and a box that counts, for an hour. */
class Hour {
  now = Date.UTC(2026, 0, 1);
  readonly #draw: ReturnType<typeof seeded>;
  readonly #files = new Map<string, SimFile>();
  #written: SimFile;
  #inodes = 1;
  #lines = 0;
  #kept: string | undefined;
  /** Names of batches that the box has counted, and how often each line was. */
  readonly #batches = new Set<string>();
  readonly #counted = new Map<string, number>();
  #isBoxUp = true;
  #isDiskFull = false;
  /** Raised by each start of the follower: calls of one that is dead reach nothing. */
  #life = 0;
  readonly told: string[] = [];

  constructor(seed: number) {
    this.#draw = seeded(seed);
    this.#written = this.#create();
  }

  #create(): SimFile {
    const file = { inode: this.#inodes++, content: "", changedAt: this.now };
    this.#files.set(NAME, file);
    return file;
  }

  write(): void {
    const { below } = this.#draw;
    for (let n = below(4) === 0 ? below(60) : 0; n > 0; n--) {
      // A line may be seen by half before it is whole.
      this.#written.content += `${this.#lines++} ${"x".repeat(below(300))}\n`;
      this.#written.changedAt = this.now;
    }
  }

  #shift(): void {
    for (let n = this.#files.size; n > 0; n--) {
      const file = this.#files.get(`${NAME}.${n}`);
      if (file !== undefined) this.#files.set(`${NAME}.${n + 1}`, file);
      this.#files.delete(`${NAME}.${n}`);
    }
  }

  /** Renames the file; the server writes into it until it opens the next one. */
  rotate(): void {
    const file = this.#files.get(NAME);
    // logrotate leaves what is empty.
    if (file === undefined || file !== this.#written || file.content === "") return;
    this.#shift();
    this.#files.set(`${NAME}.1`, file);
    this.#files.delete(NAME);
  }

  reopen(): void {
    if (!this.#files.has(NAME)) this.#written = this.#create();
  }

  copyAndTruncate(): void {
    const file = this.#files.get(NAME);
    if (file === undefined || file.content === "") return;
    this.#shift();
    this.#files.set(`${NAME}.1`, {
      inode: this.#inodes++,
      content: file.content,
      changedAt: this.now,
    });
    file.content = "";
    file.changedAt = this.now;
  }

  #list(): LogFile[] {
    return [...this.#files].map(([name, { inode, content, changedAt }]) => ({
      name,
      inode,
      changedAt,
      size: content.length,
    }));
  }

  follower(): Follower {
    const life = ++this.#life;
    const { below } = this.#draw;
    const alive = <T>(work: () => T): T => {
      // It is killed at any moment, before or after what it does.
      if (life !== this.#life) throw new Trouble("dead");
      if (below(400) === 0) this.#life++;
      if (life !== this.#life) throw new Trouble("killed");
      const done = work();
      if (below(400) === 0) this.#life++;
      if (life !== this.#life) throw new Trouble("killed");
      return done;
    };
    return new Follower({
      name: NAME,
      fromStart: true,
      now: () => this.now,
      tell: (sentence) => this.told.push(sentence),
      folder: {
        list: async () => alive(() => this.#list()),
        read: async ({ name, inode }, from, most) =>
          alive(() => {
            const file = this.#files.get(name);
            if (file?.inode !== inode) return undefined;
            return Buffer.from(file.content.slice(from, from + most));
          }),
      },
      kept: {
        load: async () => alive(() => this.#kept),
        save: async (text) =>
          alive(() => {
            if (this.#isDiskFull) throw new Trouble("no space");
            this.#kept = text;
          }),
      },
      send: async (batch, lines) => alive(() => this.#take(batch, Buffer.from(lines).toString())),
    });
  }

  #take(batch: string, lines: string): void {
    const { below } = this.#draw;
    if (!this.#isBoxUp || below(20) === 0) throw new Trouble("no answer");
    if (!this.#batches.has(batch))
      for (const line of lines.split("\n").filter(Boolean))
        this.#counted.set(line, (this.#counted.get(line) ?? 0) + 1);
    this.#batches.add(batch);
    // Killed between the commit and the answer.
    if (below(20) === 0) throw new Trouble("no answer");
  }

  async live(): Promise<void> {
    const { below } = this.#draw;
    let follower = this.follower();
    // A log is followed from the file on that is written when it begins.
    while (this.#lines === 0) this.write();
    while (this.#kept === undefined) follower = await this.#step(follower);
    for (let second = 0; second < SECONDS; second++) {
      this.now += 1_000;
      this.write();
      if (below(400) === 0) this.rotate();
      else if (below(500) === 0 && this.#files.has(NAME)) this.copyAndTruncate();
      if (below(3) === 0) this.reopen();
      if (below(50) === 0) this.#isBoxUp = !this.#isBoxUp;
      if (below(60) === 0) this.#isDiskFull = !this.#isDiskFull;
      if (below(2) === 0) follower = await this.#step(follower);
    }
    this.reopen();
    this.#written.content += "the end\n";
    [this.#isBoxUp, this.#isDiskFull] = [true, false];
    for (let n = 0; n < 500; n++) {
      this.now += 10_000;
      follower = await this.#step(follower);
    }
  }

  async #step(follower: Follower): Promise<Follower> {
    const life = this.#life;
    try {
      await follower.step();
    } catch (error) {
      if (!(error instanceof Trouble)) throw error;
    }
    return life === this.#life ? follower : this.follower();
  }

  get wrong(): string[] {
    const counts = Array.from({ length: this.#lines }, (_, n) => n);
    const byNumber = new Map([...this.#counted].map(([line, n]) => [Number.parseInt(line, 10), n]));
    return counts.filter((n) => byNumber.get(n) !== 1).map((n) => `${n}: ${byNumber.get(n) ?? 0}`);
  }
}

describe("a follower of a log", () => {
  it("sends each line once, whoever is killed, and however the log is rotated", async () => {
    await eachLife(async (seed) => {
      const hour = new Hour(seed);
      await hour.live();
      assert.deepEqual([hour.wrong, hour.told], [[], []]);
    });
  });
});
