import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { constants, PerformanceObserver } from "node:perf_hooks";
import { Drawing } from "../../appliance/deck/display/drawing.ts";
import { encodeJpeg } from "../../appliance/deck/face/paint.ts";
import type { Part } from "../running/parts.ts";
import { median, percentile } from "../running/report.ts";
import { SHIPPED_ENV, SHIPPED_FLAGS } from "../running/shipped.ts";
import { pause, startHere } from "./desk.ts";

/** The keys, as many as the most channels, each painted once a second. */
const KEYS = 64;
const WARM_SECONDS = 5;
const SECONDS = 60;
/** An MK.2's. */
const SIZE = { width: 72, height: 72 };
/** The bytes of about one key. */
const HASHED_BYTES = 300_000;

/** Milliseconds of both in turns. Where both are slow, the machine is. */
interface PaintFigures {
  /** To paint and encode one key. */
  readonly key: readonly number[];
  /** Hashing, for comparison, which takes about as long. */
  readonly hash: readonly number[];
  /** Collections meanwhile, of young objects and of the whole heap. */
  readonly collections: { young: number; whole: number };
}

export const painting: Part = {
  says: "A minute in which 64 keys change every second.",
  isLong: true,
  async run({ stage, report }) {
    const told = execFileSync(
      process.execPath,
      [...SHIPPED_FLAGS, import.meta.filename, stage.folder()],
      {
        env: { ...process.env, ...SHIPPED_ENV },
        maxBuffer: 10_000_000,
      },
    );
    const { key, hash, collections } = JSON.parse(told.toString()) as PaintFigures;
    report.note(
      `median: ${median(key).toFixed(2)} ms; hashing in turns with it: ` +
        `${median(hash).toFixed(2)} ms, p99 ${percentile(hash, 0.99).toFixed(2)} ms`,
    );
    const { young, whole } = collections;
    report.note(`of ${key.length} keys: ${young} collections of young objects, ${whole} of all`);
    report.atMost("paint and encode a key, p99", percentile(key, 0.99), "ms", 4);
  },
};

/** Paints keys beside a service, whose heap makes garbage collection realistic. */
async function paintKeys(dataDir: string): Promise<PaintFigures> {
  const service = await startHere(dataDir);
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

/** Paints a new text as the panel and the surface of a deck do. */
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

/** The part starts this file as a program. */
if (process.argv[1] === import.meta.filename) {
  const figures = await paintKeys(process.argv[2] ?? "");
  process.stdout.write(JSON.stringify(figures), () => process.exit());
}
