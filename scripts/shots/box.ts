import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startDemo } from "../../appliance/app/commands/serve/demo.ts";
import type { ServiceParts } from "../../appliance/app/service/parts.ts";
import { startService } from "../../appliance/app/service/service.ts";
import type { Clock } from "../../appliance/base/clock.ts";
import { silentLog } from "../../appliance/base/log.ts";
import { SystemClock } from "../../appliance/base/system/system-clock.ts";
import { readConfig } from "../../appliance/config/config.ts";
import { DEMO_PUSHES } from "../../appliance/traffic/demo/decks.ts";
import { randomFrom } from "../../appliance/traffic/demo/random.ts";
import { PictureUpdates } from "./updates.ts";

/** The time on every picture: a Wednesday, epoch milliseconds. */
export const NOW = Date.parse("2026-11-18T12:30:00Z");
const NAME = "tallydeck.local";
/** The state of the box on every picture. */
const VITALS = {
  upSeconds: 12 * 86_400 + 7_200,
  memory: { totalBytes: 2 ** 30, serviceBytes: 62 * 2 ** 20 },
};
const SPACE = { free: 24e9, total: 31e9 };

/** A service that pictures are made of. */
export interface Box {
  readonly collector: string;
  readonly control: string;
  /** The token that opens every site. */
  readonly token: string | null;
  /** Lines of its console. */
  readonly said: readonly string[];
  /** One request to the Web UI's API. @throws {Error} with what it answered, when it refused */
  ask(method: string, path: string, body: object): Promise<void>;
  /** Whether a release is ready. */
  offerUpdate(isOffered: boolean): void;
  close(): Promise<void>;
}

/** The demo with several virtual decks, and without a sign-in. */
export async function startDemoBox(seed: number): Promise<Box> {
  const env = { VIRTUAL_DECK: "mk2,plus,akp05e,xl", BIND: "0.0.0.0", ADMIN_OPEN: "1" };
  const demo = startDemo(readConfig({ flags: {}, env }), NOW);
  const updates = new PictureUpdates(NOW);
  const parts = { config: demo.config, pushed: DEMO_PUSHES, prepare: demo.fill, updates };
  const box = await startBox(seed, parts);
  return {
    ...box,
    offerUpdate(isOffered) {
      updates.isOffered = isOffered;
    },
    close: () => box.close().finally(demo.remove),
  };
}

/** A box on its first day. */
export async function startNewBox(seed: number): Promise<Box> {
  const dataDir = mkdtempSync(join(tmpdir(), "tallydeck-pictures-"));
  const env = { VIRTUAL_DECK: "mk2", BIND: "0.0.0.0", DATA_DIR: dataDir };
  const box = await startBox(seed, { config: readConfig({ flags: {}, env }) });
  const remove = () => rmSync(dataDir, { recursive: true, force: true });
  return { ...box, close: () => box.close().finally(remove) };
}

/** Starts a box at the ports of a checkout, since pictures show them. */
async function startBox(
  seed: number,
  parts: Pick<ServiceParts, "config" | "pushed" | "prepare" | "updates">,
): Promise<Box> {
  const said: string[] = [];
  const random = randomFrom(seed);
  const service = await startService({
    ...parts,
    clock: standingStill(),
    log: silentLog(),
    random: {
      bytes: (size) => Buffer.from(Array.from({ length: size }, () => Math.floor(256 * random()))),
      int: (end) => Math.floor(end * random()),
    },
    network: { addresses: () => ["192.168.1.20"], name: () => NAME },
    console: (line) => said.push(line),
    vitals: async () => VITALS,
    space: async () => SPACE,
  });
  return {
    collector: `http://${NAME}:${service.collector.port}`,
    control: `http://${NAME}:${service.control.port}`,
    token: parts.config.adminToken ?? null,
    said,
    async ask(method, path, body) {
      const answer = await fetch(`http://127.0.0.1:${service.control.port}${path}`, {
        method,
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      });
      if (!answer.ok) throw new Error(`${method} ${path}: ${await answer.text()}`);
    },
    offerUpdate: () => {},
    close: () => service.close(),
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
