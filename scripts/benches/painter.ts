import { createHash } from "node:crypto";
import { constants, PerformanceObserver } from "node:perf_hooks";
import { silentLog } from "../../appliance/base/log.ts";
import { readConfig } from "../../appliance/config.ts";
import { Drawing } from "../../appliance/deck/display/drawing.ts";
import { encodeJpeg } from "../../appliance/deck/face/paint.ts";
import { startService } from "../../appliance/service/service.ts";
import { SystemClock } from "../../appliance/system/system-clock.ts";
import { pause } from "./desk.ts";

/** As many as there may be channels, each painted once a second. */
const KEYS = 64;
const WARM_SECONDS = 5;
const SECONDS = 60;
/** An MK.2's. */
const SIZE = { width: 72, height: 72 };
/** About as long as a key. */
const HASHED_BYTES = 300_000;

/** Milliseconds, taken in turns: what takes both long is the machine. */
export interface PaintFigures {
  /** To paint and encode one key. */
  readonly key: readonly number[];
  /** To hash so much that it takes about as long. */
  readonly hash: readonly number[];
  /** Collections meanwhile, of young objects and of the whole heap. */
  readonly collections: { young: number; whole: number };
}

/** Paints keys beside a service, whose heap is what a collection looks through; tells `PaintFigures`. */
async function paintKeys(dataDir: string): Promise<PaintFigures> {
  const flags = { PORT: "0", WEBUI_PORT: "0", DATA_DIR: dataDir };
  const config = readConfig({ flags, env: {} });
  const service = await startService({ config, clock: new SystemClock(), log: silentLog() });
  const shown: Drawing[] = [];
  const hashed = Buffer.alloc(HASHED_BYTES);
  const key: number[] = [];
  const hash: number[] = [];
  const second = async (at: number) => {
    const next = performance.now() + 1_000;
    for (let n = 0; n < KEYS; n++) {
      key.push(millisecondsOf(() => paintKey(shown, n, `${at} of\nkey ${n}`)));
      hash.push(millisecondsOf(() => createHash("sha256").update(hashed).digest()));
      await pause(0);
    }
    await pause(Math.max(0, next - performance.now()));
  };
  for (let at = 0; at < WARM_SECONDS; at++) await second(at);
  key.length = 0;
  hash.length = 0;
  const collections = { young: 0, whole: 0 };
  new PerformanceObserver((list) => {
    for (const { detail } of list.getEntries() as unknown as { detail: { kind: number } }[])
      if (detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR) collections.whole += 1;
      else if (detail.kind === constants.NODE_PERFORMANCE_GC_MINOR) collections.young += 1;
  }).observe({ entryTypes: ["gc"] });
  for (let at = 0; at < SECONDS; at++) await second(WARM_SECONDS + at);
  await service.close();
  return { key, hash, collections };
}

/** As a panel and the surface of a deck do with a text that was not there before. */
function paintKey(shown: Drawing[], n: number, text: string): void {
  const face = { kind: "text", text, color: "#ffffff", background: "#000000" } as const;
  const before = shown[n];
  const drawing = new Drawing(face, SIZE);
  shown[n] = drawing;
  encodeJpeg(drawing.pixels(), { rotate: 180, quality: 90 });
  before?.drop();
}

function millisecondsOf(work: () => unknown): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}

const [dataDir = ""] = process.argv.slice(2);
process.stdout.write(JSON.stringify(await paintKeys(dataDir)), () => process.exit());
