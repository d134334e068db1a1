import assert from "node:assert/strict";
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, constants, openSync, readFileSync, rmSync } from "node:fs";
import { Socket } from "node:net";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { tallydeck } from "../../helpers/command-line.ts";
import { eachFolder, filesBelow } from "../../helpers/folder.ts";
import { COMPILED } from "../../helpers/open-program.ts";
import { sharedPostgres } from "../../helpers/postgres.ts";
import { RunningService } from "../../helpers/tallydeck.ts";
import { askPort } from "../../helpers/world.ts";

const MAIN = join(import.meta.dirname, "../../../appliance/main.ts");
const TOKEN = /tdr_[A-Za-z0-9_-]{43}/;

describe("the admin token of a first start", () => {
  const folder = eachFolder();
  const dataDir = () => join(folder(), "data");
  const args = () => ["run", "--data-dir", dataDir(), "--port", "0", "--webui-port", "0"];
  const env = (more: Record<string, string>) => ({
    PATH: process.env.PATH ?? "",
    NODE_COMPILE_CACHE: COMPILED,
    ...more,
  });

  /** Everything a stream says until the service is ready, with its port. */
  async function untilReady(stream: Readable) {
    let out = "";
    for await (const bytes of stream.iterator({ destroyOnReturn: false })) {
      out += bytes;
      const port = /localhost:(\d+)\/dashboard/.exec(out)?.[1];
      if (port !== undefined && /Data /.test(out)) return { out, port: Number(port) };
    }
    throw new Error(`it ended: ${out}`);
  }

  async function end(child: ChildProcess): Promise<void> {
    const exited = once(child, "exit");
    child.kill();
    await exited;
  }

  /** Runs it at a terminal. @returns what a person saw */
  async function atTerminal(): Promise<string> {
    const command = [process.execPath, MAIN, ...args()].join(" ");
    const child = spawn("script", ["--quiet", "--return", "--command", command, "/dev/null"], {
      env: env({}),
      stdio: ["pipe", "pipe", "inherit"],
    });
    const { out, port } = await untilReady(child.stdout);
    const token = TOKEN.exec(out)?.[0];
    if (token !== undefined)
      assert.equal((await askPort(port, `/sites?token=${token}`)).status, 200);
    const exited = once(child, "exit");
    // Ctrl-C.
    child.stdin.write("\x03");
    await exited;
    return out;
  }

  /** The same in this process, for what follows a real terminal. */
  async function atTerminalHere(more: Record<string, string> = {}): Promise<string> {
    const told = { isHere: true, isTTY: true };
    const service = await RunningService.start(dataDir(), more, told);
    await service.says(/Data /);
    return (await service.end()).out;
  }

  /** Runs it with a pipe for standard output, as a shell makes one. @returns what came through */
  async function intoPipe(more: Record<string, string>): Promise<string> {
    const fifo = join(folder(), "pipe");
    execFileSync("mkfifo", [fifo]);
    const end1 = openSync(fifo, constants.O_RDWR);
    const reading = new Socket({ fd: openSync(fifo, constants.O_RDONLY), readable: true });
    const child = spawn(process.execPath, [MAIN, ...args()], {
      env: env(more),
      stdio: ["ignore", end1, "inherit"],
    });
    closeSync(end1);
    const { out } = await untilReady(reading);
    await end(child);
    reading.destroy();
    return out;
  }

  it("is printed at a terminal, once, and kept only hashed", async () => {
    const [token] = TOKEN.exec(await atTerminal()) ?? [];
    assert.ok(token);
    for (const file of filesBelow(dataDir())) assert.ok(!readFileSync(file).includes(token), file);
    assert.doesNotMatch(await atTerminalHere(), TOKEN);
  });

  it("is that of all who share a database, where one is named", async () => {
    const server = await sharedPostgres();
    const DATABASE_URL = server.url({ database: await server.createDatabase() });
    assert.match(await atTerminalHere({ DATABASE_URL }), TOKEN);
    rmSync(dataDir(), { recursive: true });
    assert.doesNotMatch(await atTerminalHere({ DATABASE_URL }), TOKEN);
    assert.match((await tallydeck(["tokens"], { DATABASE_URL })).out, /^admin: yes$/m);
  });

  it("is not made when the configuration has one", async () => {
    assert.doesNotMatch(await atTerminalHere({ STATS_TOKEN: "my-own" }), TOKEN);
  });

  it("is printed into the pipe of scripts/start", async () => {
    assert.match(await intoPipe({ TALLYDECK_FROM_START: "1" }), TOKEN);
  });

  it("is not printed into any other pipe, and still to be had at a terminal then", async () => {
    assert.doesNotMatch(await intoPipe({}), TOKEN);
    assert.match(await atTerminalHere(), TOKEN);
  });

  it("is never printed into a journal", async () => {
    const journal = { TALLYDECK_FROM_START: "1", JOURNAL_STREAM: "8:1234" };
    assert.doesNotMatch(await intoPipe(journal), TOKEN);
    // The journal gives a socket.
    const service = await RunningService.start(dataDir(), journal);
    const { out, err } = await service.end();
    assert.doesNotMatch(out + err, TOKEN);
  });
});
