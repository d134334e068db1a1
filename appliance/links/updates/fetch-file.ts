import { createHash, type Hash } from "node:crypto";
import { createReadStream } from "node:fs";
import { type FileHandle, open, rm } from "node:fs/promises";
import type { Readable } from "node:stream";
import { type Clock, every } from "../../base/clock.ts";
import { Refusal } from "../../base/refusal.ts";
import type { Part } from "../../base/release/manifest.ts";
import { sizeOf } from "../../base/system/files.ts";
import { diskRefusal, refuse } from "./refusals.ts";
import { type HostAnswer, NotFetched, type ReleaseHost } from "./release-host.ts";

interface Fetching {
  readonly host: Pick<ReleaseHost, "name" | "file" | "failure">;
  readonly clock: Pick<Clock, "after">;
  /** Bytes that may still be written before the data would lack them. */
  readonly freeBytes: () => Promise<number>;
  readonly signal: AbortSignal;
  /** Called with the number of bytes that are there. */
  readonly progress: (bytes: number) => void;
}

/** The least bytes in a minute, below which a download is given up. */
const LEAST_BYTES = 64 * 1024;
const WINDOW_MS = 60_000;
/** Bytes between two syncs, since unwritten data counts as memory of the service. */
const SYNC_BYTES = 8 * 1024 * 1024;

/**
 * Downloads a file, and resumes an earlier download. Its bytes are kept after a failure, unless they are wrong.
 * @param part the size and hash of the file
 * @throws {NotFetched}
 * @throws {Refusal} `no_space`, `storage_unavailable`
 */
export async function fetchFile(
  name: string,
  path: string,
  part: Part,
  to: Fetching,
): Promise<void> {
  let have = sizeOf(path) ?? 0;
  if (have > part.size) {
    await rm(path, { force: true });
    have = 0;
  }
  to.progress(have);
  const hash = createHash("sha256");
  for await (const bytes of createReadStream(path, { flags: "a+" })) {
    to.signal.throwIfAborted();
    hash.update(bytes);
  }
  if (have < part.size) await append(name, path, { part, have, hash }, to);
  if (hash.digest("hex") === part.sha256) return;
  await rm(path, { force: true });
  throw new NotFetched(
    "wrong",
    `${name} of ${to.host.name} is not what its manifest says. It was deleted.`,
  );
}

interface FetchedPart {
  readonly part: Part;
  readonly have: number;
  readonly hash: Hash;
}

async function append(name: string, path: string, begun: FetchedPart, to: Fetching): Promise<void> {
  const { part, have } = begun;
  if ((await to.freeBytes()) < part.size - have) throw refuse("space");
  const answer = await to.host.file(name, have, to.signal);
  const stalled = new AbortController();
  const end = AbortSignal.any([to.signal, stalled.signal]);
  const stop = () => answer.body.destroy();
  end.addEventListener("abort", stop);
  if (end.aborted) stop();
  let inWindow = 0;
  const watch = every(to.clock, WINDOW_MS, () => {
    if (inWindow < LEAST_BYTES) stalled.abort();
    inWindow = 0;
  });
  try {
    const skip = skipped(name, answer, begun, to.host.name);
    await using file = await open(path, "a", 0o600);
    await writeOut(counted(answer.body, skip), file, begun, to);
  } catch (error) {
    throw await explained(error, [name, path], to, end);
  } finally {
    watch();
    stop();
  }

  async function* counted(body: Readable, skip: number): AsyncGenerator<Buffer> {
    let left = skip;
    for await (const bytes of body as AsyncIterable<Buffer>) {
      inWindow += bytes.length;
      const rest = bytes.subarray(Math.min(left, bytes.length));
      left -= bytes.length - rest.length;
      if (rest.length > 0) yield rest;
    }
  }
}

/** The bytes of the body that are here already. @throws {NotFetched}, {NoSuchPart} where it is of another file */
function skipped(
  name: string,
  { status, headers }: HostAnswer,
  { part, have }: FetchedPart,
  host: string,
): number {
  if (status === 416) throw new NoSuchPart();
  const range = /^bytes (\d{1,15})-\d{1,15}\/(\d{1,15}|\*)$/.exec(headers["content-range"] ?? "");
  const [, from, whole] =
    status === 206 ? (range ?? []) : [undefined, "0", headers["content-length"] ?? "*"];
  const isRight = Number(from) === (status === 206 ? have : 0);
  if (isRight && (whole === "*" || Number(whole) === part.size)) return status === 206 ? 0 : have;
  throw isAnother(name, host);
}

function isAnother(name: string, host: string): NotFetched {
  return new NotFetched("wrong", `${host} has another ${name} than the one that was offered.`);
}

async function writeOut(
  body: AsyncIterable<Buffer>,
  file: FileHandle,
  { part, have, hash }: FetchedPart,
  { freeBytes, progress }: Fetching,
): Promise<void> {
  let at = have;
  let synced = have;
  for await (const bytes of body) {
    at += bytes.length;
    if (at > part.size) throw new TooMuch();
    await file.writeFile(bytes);
    hash.update(bytes);
    progress(at);
    if (at - synced < SYNC_BYTES) continue;
    synced = at;
    await file.datasync();
    if ((await freeBytes()) < part.size - at) throw refuse("space");
  }
  await file.sync();
  if (at < part.size) throw new Error("the body ended early");
}

/** The host has sent more than the file has. */
class TooMuch extends Error {}

/** The host's file ends before ours: or it counts wrongly, and would never give the rest of it. */
class NoSuchPart extends Error {}

async function explained(
  error: unknown,
  [name, path]: readonly [string, string],
  { host }: Fetching,
  end: AbortSignal,
): Promise<unknown> {
  if (error instanceof NotFetched || error instanceof Refusal) return error;
  if (error instanceof TooMuch) {
    await rm(path, { force: true });
    return new NotFetched("wrong", `${host.name} sends more than the release has. It was deleted.`);
  }
  if (error instanceof NoSuchPart) {
    await rm(path, { force: true });
    return isAnother(name, host.name);
  }
  return diskRefusal(error) ?? host.failure(error, end);
}
