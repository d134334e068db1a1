import assert from "node:assert/strict";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { tallydeck as inProcess } from "../../../helpers/command-line.ts";
import { eachFolder } from "../../../helpers/folder.ts";
import { isOpen } from "../../../helpers/open-program.ts";
import { Running } from "../../../helpers/tallydeck.ts";

/** A user whom every Debian has, and who owns nothing. */
const NOBODY = 65_534;
const WORDS = "what root has written\n";

describe("a command of root's on the data of another user", () => {
  const folder = eachFolder();
  const dataDir = () => join(folder(), "data");
  const roots = () => join(folder(), "roots");
  const kept = () => join(roots(), "kept");
  const file = () => join(roots(), "box.db");

  before(function () {
    if (process.getuid?.() === 0) return;
    console.log("    skipped: files of another user need root");
    this.skip();
  });
  beforeEach(async () => {
    chmodSync(folder(), 0o755);
    for (const path of [dataDir(), roots()]) mkdirSync(path, { mode: 0o700 });
    chownSync(dataDir(), NOBODY, NOBODY);
    writeFileSync(kept(), WORDS, { mode: 0o644 });
    await asNobody("sites", "add", "blog");
    await done("backup", file());
  });

  async function asNobody(...words: string[]): Promise<void> {
    const { code, err } = await new Running(
      [...words, "--data-dir", dataDir()],
      {},
      { user: NOBODY },
    ).ended;
    assert.equal(code, 0, err);
  }
  /** Runs a command of root's, which takes the user's rights only where that user can read the program. */
  const tallydeck = (args: readonly string[]) =>
    isOpen ? inProcess(args) : new Running(args, {}, { isOpen: true }).ended;
  async function done(...words: string[]): Promise<void> {
    const { code, err } = await tallydeck([...words, "--data-dir", dataDir()]);
    assert.equal(code, 0, err);
  }
  /** The user puts a link to a file of root's, or to a place for one, into a folder. */
  function plant(name: string, target = kept(), where = dataDir()): void {
    symlinkSync(target, join(where, name));
  }
  function assertKept(): void {
    assert.equal(readFileSync(kept(), "utf8"), WORDS);
    assert.equal(statSync(kept()).mode & 0o777, 0o644);
    assert.equal(statSync(kept()).uid, 0);
  }

  it("restores along no link, and into files of that user", async () => {
    for (const end of ["upload", "upload-wal", "incoming", "incoming-journal"])
      plant(`tallydeck.db.${end}`);
    await done("restore", file());
    assertKept();
    for (const name of readdirSync(dataDir()))
      assert.equal(statSync(join(dataDir(), name)).uid, NOBODY, name);
    await asNobody("sites");
  });

  for (const name of ["service.lock", "tallydeck.db.made"])
    it(`makes nothing along a link at ${name}`, async () => {
      if (existsSync(join(dataDir(), name))) unlinkSync(join(dataDir(), name));
      const made = join(roots(), "made");
      plant(name, made);
      await tallydeck(["restore", file(), "--data-dir", dataDir()]);
      await tallydeck(["sites", "add", "shop", "--data-dir", dataDir()]);
      assert.equal(existsSync(made), false);
    });

  it("leaves the rights of a file that a link leads to", async () => {
    plant("service.json");
    await done("sites", "add", "shop");
    assertKept();
  });

  it("writes backups and exports along no link", async () => {
    for (const name of ["copy.db.partial", "blog.jsonl.gz.part"]) plant(name);
    await done("backup", join(dataDir(), "copy.db"));
    await done("export", "--format", "jsonl", "--to", join(dataDir(), "blog.jsonl.gz"));
    assertKept();
  });
});
