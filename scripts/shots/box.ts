import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Clock, SystemClock } from "../../appliance/base/clock.ts";
import { silentLog } from "../../appliance/base/log.ts";
import { startDemo } from "../../appliance/commands/demo.ts";
import { readConfig } from "../../appliance/config.ts";
import { startService } from "../../appliance/service/service.ts";

/** When it is on every picture: a Wednesday, epoch milliseconds. */
export const NOW = Date.parse("2026-11-18T12:30:00Z");
/** What its memory is on every picture. */
const VITALS = {
  upSeconds: 12 * 86_400 + 7_200,
  memory: { totalBytes: 2 ** 30, serviceBytes: 62 * 2 ** 20 },
};

/** A service that pictures are made of. */
export interface Box {
  readonly collector: string;
  readonly control: string;
  /** What opens every site. */
  readonly token: string | null;
  /** What it said to who stands at it. */
  readonly said: readonly string[];
  /** One request to the Web UI's API. @throws {Error} with what it answered, when it refused */
  ask(method: string, path: string, body: object): Promise<void>;
  stop(): Promise<void>;
}

/** The demo with several virtual decks, on this machine only. */
export async function startDemoBox(): Promise<Box> {
  const env = { VIRTUAL_DECK: "mk2,plus,akp05e,xl" };
  const demo = startDemo(readConfig({ flags: PORTS, env }), NOW);
  const box = await startBox(demo.config, demo.fill);
  return { ...box, stop: () => box.stop().finally(demo.remove) };
}

/** A box as it is on its first day, in a network. */
export async function startNewBox(): Promise<Box> {
  const dataDir = mkdtempSync(join(tmpdir(), "tallydeck-pictures-"));
  const env = { VIRTUAL_DECK: "mk2", BIND: "0.0.0.0", DATA_DIR: dataDir };
  const box = await startBox(readConfig({ flags: PORTS, env }));
  return {
    ...box,
    stop: () => box.stop().finally(() => rmSync(dataDir, { recursive: true, force: true })),
  };
}

const PORTS = { PORT: "0", WEBUI_PORT: "0" };

async function startBox(
  config: ReturnType<typeof readConfig>,
  prepare?: Parameters<typeof startService>[0]["prepare"],
): Promise<Box> {
  const said: string[] = [];
  const service = await startService({
    config,
    clock: standingStill(),
    log: silentLog(),
    ...(prepare && { prepare }),
    // No deck of whoever makes the pictures.
    network: { addresses: () => ["192.168.1.20"], name: () => "tallydeck" },
    console: (line) => said.push(line),
    vitals: async () => VITALS,
  });
  const [collector, control] = [service.collector, service.control].map(
    ({ port }) => `http://127.0.0.1:${port}`,
  ) as [string, string];
  return {
    collector,
    control,
    token: config.adminToken,
    said,
    async ask(method, path, body) {
      const headers = { "content-type": "application/json" };
      const answer = await fetch(control + path, { method, headers, body: JSON.stringify(body) });
      if (!answer.ok) throw new Error(`${method} ${path}: ${await answer.text()}`);
    },
    stop: () => service.stop(),
  };
}

/** Timers run; the time does not. */
function standingStill(): Clock {
  const machine = new SystemClock();
  return {
    now: () => NOW,
    monotonic: () => machine.monotonic(),
    boot: machine.boot,
    sure: true,
    becameSure: machine.becameSure,
    after: (ms, task) => machine.after(ms, task),
  };
}
