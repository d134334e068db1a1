import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Server } from "node:net";
import { join } from "node:path";
import { BOX_FILES } from "../../../appliance/box/emergency/known.ts";
import { eachFolder, sharedFolder } from "../../helpers/folder.ts";
import { until } from "../../helpers/until.ts";
import { importsOf } from "../../structure/source.ts";

const ROOT = join(import.meta.dirname, "../../..");
const MAIN = "appliance/box/emergency/main.ts";

/** Every file that a program loads, and every package. */
function reachedFrom(main: string): { files: Set<string>; packages: Set<string> } {
  const [files, packages] = [new Set([main]), new Set<string>()];
  for (const from of files)
    for (const { file, specifier, isTypeOnly } of importsOf(
      from,
      readFileSync(join(ROOT, from), "utf8"),
    ))
      if (isTypeOnly) continue;
      else if (file !== undefined) files.add(file);
      else packages.add(specifier);
  return { files, packages };
}

describe("the program for a service that cannot start", () => {
  const alone = sharedFolder();
  // Before its folder goes.
  afterEach(stop);
  const folder = eachFolder();
  let program: ChildProcess | undefined;
  let [collector, control, err] = [0, 0, ""];

  /** A release with no modules at all. */
  before(() => {
    for (const file of reachedFrom(MAIN).files) cpSync(join(ROOT, file), join(alone(), file));
    writeFileSync(join(alone(), "package.json"), '{"type":"module"}');
  });

  beforeEach(async () => {
    for (const each of [BOX_FILES.reset, BOX_FILES.updater])
      mkdirSync(join(folder(), each, "asked"), { recursive: true });
    mkdirSync(join(folder(), "run/tallydeck"), { recursive: true });
    writeFileSync(join(folder(), BOX_FILES.failures), "exit-code 1\n".repeat(5));
    writeFileSync(join(folder(), "screen"), "");
    await start();
  });

  async function start(): Promise<void> {
    const sockets = [await bound(), await bound()];
    [collector = 0, control = 0] = sockets.map((each) => (each.address() as AddressInfo).port);
    err = "";
    program = spawn(
      "/bin/sh",
      ["-c", 'LISTEN_PID=$$ exec "$0" "$@"', process.execPath, join(alone(), MAIN)],
      {
        env: {
          ROOT: folder(),
          CONSOLE_DEVICE: join(folder(), "screen"),
          LISTEN_FDS: "2",
          LISTEN_FDNAMES: "collector:control",
        },
        stdio: ["ignore", "ignore", "pipe", ...sockets.map(fdOf)],
      },
    );
    for (const socket of sockets) socket.close();
    program.stderr?.on("data", (text) => {
      err += text;
    });
    await until(() => err.includes("answers at its ports"));
  }

  async function stop(): Promise<void> {
    if (program === undefined || program.exitCode !== null || program.signalCode !== null) return;
    program.kill();
    await once(program, "exit");
  }

  const ask = (port: number, path = "/", more: RequestInit = {}) =>
    fetch(`http://127.0.0.1:${port}${path}`, { headers: { Accept: "text/html" }, ...more });
  const screen = () => readFileSync(join(folder(), "screen"), "utf8");
  const code = async () => {
    await until(() => /Setup code \d{6}/.test(screen()));
    return (
      screen()
        .match(/Setup code (\d{6})/g)
        ?.at(-1)
        ?.slice(-6) ?? ""
    );
  };
  const send = async (fields: Record<string, string>) =>
    ask(control, "/", {
      method: "POST",
      redirect: "manual",
      body: new URLSearchParams({ code: await code(), ...fields }),
    });

  it("takes nothing but Node's own modules", () => {
    const { files, packages } = reachedFrom(MAIN);
    const left = [...packages].filter((name) => !name.startsWith("node:"));
    assert.deepEqual(left, []);
    const found = [...files].filter((file) => /\/(?:store|service)\//.test(file));
    assert.deepEqual(found, []);
    assert.ok(files.size > 15);
  });

  it("answers at both ports without a module, and on the screen", async () => {
    const [visitor, owner] = [await ask(collector), await ask(control)];
    assert.deepEqual([visitor.status, owner.status], [503, 503]);
    assert.match(await visitor.text(), /Out of order for now/);
    assert.match(await owner.text(), /It failed 5 times in a row/);
    const health = await ask(control, "/api/health");
    assert.equal(((await health.json()) as { code: string }).code, "cannot_start");
    await until(() => screen().includes("Tallydeck cannot start."));
  });

  it("ends well once its owner wants the service tried, and by a signal", async () => {
    assert.equal((await send({ do: "try" })).status, 200);
    const [status] = await once(program as ChildProcess, "exit");
    assert.equal(status, 0);
    await start();
    program?.kill();
    assert.deepEqual(await once(program as ChildProcess, "exit"), [0, null]);
  });

  it("asks root for the other system", async () => {
    const state = {
      running: { release: 12, version: "0.3.0", slot: "b" },
      other: { release: 11, version: "0.2.0" },
      mode: "normal",
    };
    writeFileSync(join(folder(), BOX_FILES.updater, "state.json"), JSON.stringify(state));
    assert.equal((await send({ do: "other" })).status, 200);
    await until(() => existsSync(join(folder(), BOX_FILES.updater, "asked/rollback")));
    assert.deepEqual(readdirSync(join(folder(), BOX_FILES.updater, "asked")), ["rollback"]);
  });

  it("counts down for a file on the card, as the service does", async () => {
    await stop();
    writeFileSync(join(folder(), BOX_FILES.reset, "wanted"), "");
    await start();
    await until(() => /erases all its data in \d+ seconds/.test(screen()));
    const page = await (await ask(control)).text();
    const token = /name="token" value="(\w+)"/.exec(page)?.[1] ?? "";
    assert.equal((await send({ do: "stop", token })).status, 303);
    await until(() => existsSync(join(folder(), BOX_FILES.reset, "asked/call-off")));
  });

  it("lives through what strangers send", async () => {
    const long = await ask(control, "/", { method: "POST", body: "x".repeat(5_000) });
    assert.equal(long.status, 413);
    const hit = await ask(collector, "/a", { method: "POST", body: "x".repeat(500_000) }).catch(
      () => undefined,
    );
    assert.ok(hit === undefined || hit.status === 503);
    for (const bytes of [
      "GET / HTTP/1.1\r\n\r\n",
      "\0\0\0",
      `GET /${"a".repeat(40_000)} HTTP/1.1\r\n`,
    ])
      for (const port of [collector, control]) {
        const socket = connect(port, "127.0.0.1");
        socket.on("error", () => {});
        socket.resume().end(bytes);
        await once(socket, "close");
      }
    assert.equal((await ask(control)).status, 503);
  });
});

async function bound(): Promise<Server> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}

function fdOf(server: Server): number {
  const handle: { fd: number } = Reflect.get(server, "_handle");
  return handle.fd;
}
