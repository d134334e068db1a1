import assert from "node:assert/strict";
import { chmodSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { tallydeck } from "../../helpers/command-line.ts";
import { eachFolder } from "../../helpers/folder.ts";
import { Running, RunningService } from "../../helpers/tallydeck.ts";
import { ADMIN } from "../../helpers/world.ts";

/** A user whom every Debian has, and who owns nothing. */
const NOBODY = 65_534;
const COMMANDS = [
  "status",
  "stats",
  "stats blog",
  "digest",
  "sites",
  "sites add shop",
  "tokens",
  "tokens make admin",
  "backup copy.db",
  "restore copy.db",
  "diagnose",
];

describe("data of a running service that is for another user", () => {
  const folder = eachFolder();
  let dataDir: string;
  let service: RunningService;
  before(function () {
    if (process.getuid?.() === 0) return;
    console.log("    skipped: to be another user needs root");
    this.skip();
  });
  beforeEach(async () => {
    dataDir = join(folder(), "data");
    mkdirSync(dataDir, { mode: 0o700 });
    // In this process it would make private the copy of the program that the other user runs.
    service = await RunningService.start(dataDir, { SITES: "blog", STATS_TOKEN: ADMIN });
  });
  afterEach(() => service.end());

  async function refusal(words: string): Promise<string> {
    const args = [...words.split(" "), "--data-dir", dataDir];
    const { code, out, err } = await new Running(args, {}, { user: NOBODY }).ended;
    assert.deepEqual([code, out], [1, ""], `${words}: ${err}`);
    return err;
  }

  it("is no missing data to any command, which says who may read it", async () => {
    chmodSync(folder(), 0o755);
    for (const words of COMMANDS)
      assert.equal(
        // A copy of the program has another path.
        (await refusal(words)).replace(/ \S+(?=\/scripts\/tallydeck )/, " ."),
        `This user, nobody, may not read ${dataDir}, which is for root. Run it as who may: sudo ./scripts/tallydeck ${words} --data-dir ${dataDir}\n`,
      );
  });

  it("is none either in a folder that may not be looked into", async () => {
    assert.match(
      await refusal("status"),
      /^This user, nobody, may not read \S+\. Run it as who may: sudo /,
    );
  });
});

describe("data elsewhere", () => {
  for (const command of ["status", "stats", "sites", "tokens"])
    it(`whose address is wrong is wrong usage of \`tallydeck ${command}\``, async () => {
      const args = [command, "--database-url", "postgres://me:50%off@127.0.0.1/numbers"];
      const { code, err } = await tallydeck(args);
      assert.equal(code, 2);
      assert.match(err, /Write %25 for a % of its own/);
    });
});
