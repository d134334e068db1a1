import assert from "node:assert/strict";
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { delimiter, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";
import { countedViews } from "../helpers/counted-views.ts";
import { eachFolder } from "../helpers/folder.ts";
import { COMPILED } from "../helpers/open-program.ts";
import { Postgres } from "../helpers/postgres.ts";
import { MAIN } from "../helpers/tallydeck.ts";
import { ADMIN, askPort, CHROME, encode } from "../helpers/world.ts";

/** Ten seconds and more: the chapter's commands run as they are written, and each restart is a start of the service. */
const ROOT = join(import.meta.dirname, "../..");
const LOOK_MS = 20;
const LANES = 4;
/** Less than a day may have of distinct values. */
const PAGES = 300;
const PAUSE_MS = 50;
const VIEWS_A_SURVEY = 15;

/** The commands of the chapter, block by block. */
function blocks(): string[] {
  const page = readFileSync(join(ROOT, "docs/scale.md"), "utf8");
  const [, chapter = ""] = page.split("## Switching over without losing a hit\n");
  const [text = ""] = chapter.split(/^## /m);
  return [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = ""]) => block);
}

/**
 * A service as systemd has it: the socket outlives it, and `systemctl restart` comes back when the next
 * one is ready.
 */
const SYSTEMD = `
trap 'kill "$child"' HUP
trap 'over=1; kill "$child"' TERM
while [ -z "$over" ]; do
  (LISTEN_PID=$BASHPID exec "$@") &
  child=$!
  while kill -0 "$child" 2>/dev/null; do wait "$child"; done
done`;
const SYSTEMCTL = `#!/bin/sh
[ "$*" = "restart tallydeck" ] || exit 1
ready() { grep -c /dashboard "$SERVICE_LOG"; }
before=$(ready)
kill -HUP "$SYSTEMD_PID"
until [ "$(ready)" -gt "$before" ]; do sleep 0.05; done`;

class World {
  readonly port: number;
  readonly #folder: string;
  readonly #systemd: ChildProcess;
  readonly #env: Readonly<Record<string, string>>;

  private constructor(
    folder: string,
    systemd: ChildProcess,
    { port, env }: { port: number; env: Readonly<Record<string, string>> },
  ) {
    this.#folder = folder;
    this.#systemd = systemd;
    this.port = port;
    this.#env = env;
  }

  static async start(folder: string, urls: Readonly<Record<string, string>>): Promise<World> {
    const env = {
      PATH: `${join(folder, "bin")}${delimiter}${process.env.PATH}`,
      DATA_DIR: join(folder, "data"),
      SERVICE_LOG: join(folder, "log"),
      NODE_COMPILE_CACHE: COMPILED,
    };
    mkdirSync(join(folder, "bin"));
    const script = (name: string, text: string) =>
      writeFileSync(join(folder, "bin", name), text, { mode: 0o755 });
    script("tallydeck", `#!/bin/sh\nexec "${process.execPath}" "${MAIN}" "$@"\n`);
    script("systemctl", SYSTEMCTL);
    writeFileSync(join(folder, "tallydeck.env"), `SITES=blog\nSTATS_TOKEN=${ADMIN}\n`);
    writeFileSync(env.SERVICE_LOG, "");
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as { port: number };
    const { fd }: { fd: number } = Reflect.get(server, "_handle");
    const run = ["run", "--webui-port", "0", "--config", join(folder, "tallydeck.env")];
    const systemd = spawn(
      "bash",
      ["-c", `exec >>"$SERVICE_LOG" 2>&1; ${SYSTEMD}`, "systemd", process.execPath, MAIN, ...run],
      {
        env: { ...env, LISTEN_FDS: "1", LISTEN_FDNAMES: "collector" },
        stdio: ["ignore", "ignore", "ignore", fd],
      },
    );
    server.close();
    return new World(folder, systemd, {
      port,
      env: { ...env, ...urls, SYSTEMD_PID: String(systemd.pid) },
    });
  }

  get log(): string {
    return readFileSync(join(this.#folder, "log"), "utf8");
  }

  async type(commands: string): Promise<string> {
    const here = commands.replaceAll("/etc/tallydeck.env", join(this.#folder, "tallydeck.env"));
    const { stdout } = await promisify(execFile)("sh", ["-e", "-c", here], { env: this.#env });
    return stdout;
  }

  async end(): Promise<void> {
    const ended = once(this.#systemd, "exit");
    this.#systemd.kill("SIGTERM");
    await ended;
  }
}

/** Visitors who never stop, and what they were answered. */
class Visitors {
  readonly views = new Map<string, number>();
  readonly responses: string[] = [];
  readonly #port: number;
  readonly #lanes: readonly Promise<void>[];
  #stay = true;

  constructor(port: number) {
    this.#port = port;
    this.#lanes = Array.from({ length: LANES }, (_, lane) => this.#visit(lane));
  }

  /** Resolves when so many more were answered. */
  async more(views: number): Promise<void> {
    const until = this.sum + views;
    while (this.sum < until) await Promise.race([setTimeout(LOOK_MS), ...this.#lanes]);
  }

  get sum(): number {
    return [...this.views.values()].reduce((sum, n) => sum + n, 0);
  }

  async leave(): Promise<void> {
    this.#stay = false;
    await Promise.all(this.#lanes);
  }

  async #visit(lane: number): Promise<void> {
    for (let i = 0; this.#stay; i++) {
      const page = `/${lane}/${i % PAGES}`;
      const v = encodeURIComponent(encode({ p: page }));
      const headers = { "user-agent": CHROME };
      const { status } = await askPort(this.#port, `/e?s=blog&v=${v}`, { headers });
      assert.equal(status, 200);
      this.views.set(page, (this.views.get(page) ?? 0) + 1);
      if (i % VIEWS_A_SURVEY === 0) await this.#respond(lane, i / VIEWS_A_SURVEY);
      // Pauses, since visitors do not all come at once.
      await setTimeout(PAUSE_MS);
    }
  }

  async #respond(lane: number, i: number): Promise<void> {
    const text = `${lane} ${i}`;
    const body = JSON.stringify({ sv: 1, c: text });
    // Each comes from somewhere else: few are taken from one address.
    const from = `127.0.${lane + 1}.${(i % 250) + 1}`;
    const reply = await askPort(this.#port, "/s?s=blog", { method: "POST", body, from });
    assert.equal(reply.status, 204, reply.text);
    this.responses.push(text);
  }
}

describe("a switch as docs/scale.md has it", () => {
  const folder = eachFolder();
  let server: Postgres;
  let world: World;
  beforeEach(async () => {
    server = await Postgres.start();
    await server.sql("CREATE ROLE tallydeck LOGIN PASSWORD 'counts'");
    const database = await server.createDatabase();
    world = await World.start(folder(), {
      OWNER_URL: server.url({ database }),
      DATABASE_URL: server.url({ database, user: "tallydeck", password: "counts" }),
    });
  });
  afterEach(async () => {
    await world.end();
    await server.end();
  });

  /** Checks that the service has each answered hit once. */
  async function holds({ views, responses, sum }: Visitors): Promise<void> {
    const ask = async (path: string) =>
      JSON.parse((await askPort(world.port, `${path}&site=blog&token=${ADMIN}`)).text);
    const { path, pv } = await ask("/stats?from=first");
    assert.deepEqual(path, Object.fromEntries([...views].sort(([a], [b]) => (a < b ? -1 : 1))));
    assert.equal(pv._, sum);
    const stored: string[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const page = await ask(`/surveys/export?sv=1${cursor && `&cursor=${cursor}`}`);
      stored.push(...page.responses.map(({ c }: { c: string }) => c));
      cursor = page.cursor;
    }
    assert.deepEqual(stored.sort(), [...responses].sort());
  }

  it("loses no hit and counts none twice, there and back, while visitors come", async () => {
    const [there = "", back = "", ...others] = blocks();
    assert.deepEqual(others, []);
    for (const block of [there, back]) assert.equal(block.trim().split("\n").length, 5, block);
    const visitors = new Visitors(world.port);
    try {
      await visitors.more(50);
      assert.match(
        await world.type(there),
        /Checked 1 days of 1 sites: all that was counted is in/,
      );
      await visitors.more(50);
      assert.ok((await countedViews(server.url({ database: "test_1" }))) > 0);
      assert.match(await world.type(back), /blog/);
      await visitors.more(50);
    } finally {
      await visitors.leave();
    }
    await holds(visitors);
  });
});
