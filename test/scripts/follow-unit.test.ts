import assert from "node:assert/strict";
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { needTools } from "../../scripts/tools.ts";
import { CHROME, WRITERS } from "../helpers/access-logs.ts";
import { FakeClock } from "../helpers/fake-clock.ts";
import { eachFolder } from "../helpers/folder.ts";
import { Owner } from "../helpers/owner.ts";
import { eachWorld } from "../helpers/world.ts";

const ROOT = join(import.meta.dirname, "../..");
const UNIT = "tallydeck-follow@.service";
const INSTANCE = "tallydeck-follow@blog.service";
const NOW = "2026-03-04T12:00:00Z";
/** The group that may read logs, on Debian. */
const ADM = 4;
const LOOK_MS = 50;

describe("the unit that follows a log, run by systemd", () => {
  let machine: ChildProcess | undefined;
  // Before the folder that it has as its root is removed.
  afterEach(async () => {
    if (machine === undefined || machine.exitCode !== null) return;
    const ended = once(machine, "exit");
    const first = firstInMachine();
    // All in it ends with its first process, which outlives systemd-nspawn.
    if (first === "") machine.kill("SIGKILL");
    else process.kill(Number(first), "SIGKILL");
    await ended;
  });
  const folder = eachFolder();
  const world = eachWorld(() => ({ clock: new FakeClock(NOW) }));
  const inRoot = (path: string) => join(folder(), path);
  const log = () => inRoot("var/log/access.log");
  const state = () => inRoot("var/lib/private/tallydeck-follow/blog/access.log.tallydeck");
  const write = (target: string) => {
    const asked = { at: Date.parse(NOW) - 60_000, ip: "192.0.2.1", target, agent: CHROME };
    appendFileSync(log(), `${WRITERS.combined?.(asked)}\n`);
  };
  const isCounted = async (n: number) => {
    const { path = {} } = await world().stats();
    return Object.keys(path).length === n;
  };
  const until = async (holds: () => boolean | Promise<boolean>) => {
    while (!(await holds())) {
      assert.equal(machine?.exitCode, null, "the machine has ended");
      await setTimeout(LOOK_MS);
    }
  };
  const firstInMachine = () =>
    readFileSync(`/proc/${machine?.pid}/task/${machine?.pid}/children`, "utf8").trim();
  const inMachine = (...command: string[]) => {
    const target = ["-t", firstInMachine(), "-a"];
    return execFileSync("nsenter", [...target, ...command], { encoding: "utf8" }).trim();
  };

  before(function () {
    // A machine within this one is for root alone.
    if (process.getuid?.() !== 0) this.skip();
    needTools("systemd-container");
  });
  beforeEach(async () => {
    const { token } = await new Owner(world()).makePushToken("nginx", "logs");
    // It is the root of other users, too.
    chmodSync(folder(), 0o755);
    for (const name of ["etc/systemd/system", "usr", "var/log"])
      mkdirSync(inRoot(name), { recursive: true });
    for (const name of ["bin", "sbin", "lib", "lib64"]) symlinkSync(`usr/${name}`, inRoot(name));
    for (const name of ["passwd", "group", "os-release"])
      copyFileSync(`/etc/${name}`, inRoot(`etc/${name}`));
    // With a number it is no first start, which would enable all units that this machine has installed.
    writeFileSync(inRoot("etc/machine-id"), `${"1".repeat(32)}\n`);
    copyFileSync(join(ROOT, "scripts/examples", UNIT), inRoot(`etc/systemd/system/${UNIT}`));
    const url = `http://127.0.0.1:${world().service.control.port}`;
    writeFileSync(
      inRoot("etc/tallydeck-follow-blog.env"),
      `LOG=/var/log/access.log\nTALLYDECK_URL=${url}\nTALLYDECK_LOGS_TOKEN=${token}\n`,
      { mode: 0o600 },
    );
    writeFileSync(log(), "", { mode: 0o640 });
    write("/before");
    chownSync(log(), 0, ADM);
    const places = ["-D", folder(), "--bind-ro=/usr", `--bind-ro=${ROOT}:/opt/tallydeck`];
    const own = ["--register=no", "--keep-unit", "--machine=tallydeck-test"];
    machine = spawn("systemd-nspawn", [...own, ...places, "--boot", `systemd.unit=${INSTANCE}`], {
      stdio: "ignore",
    });
  });
  it("sends each line once, as a user of its own, and goes on after a start", async () => {
    await until(() => existsSync(state()));
    write("/1");
    await until(() => isCounted(1));
    const pid = inMachine("systemctl", "show", "--value", "-p", "MainPID", INSTANCE);
    const status = inMachine("cat", `/proc/${pid}/status`);
    assert.match(status, /^Uid:\s+6\d{4}\s/m);
    assert.match(status, /^NoNewPrivs:\s+1$/m);
    inMachine("systemctl", "restart", INSTANCE);
    write("/2");
    await until(() => isCounted(2));
    assert.deepEqual((await world().stats()).path, { "/1": 1, "/2": 1 });
  });
});
