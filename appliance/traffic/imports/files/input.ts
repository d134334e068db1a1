import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { basename } from "node:path";
import { pipeline, type Readable } from "node:stream";
import { createGunzip, createZstdDecompress } from "node:zlib";
import { type Entry, fromFd, type ZipFile } from "yauzl";
import { storable } from "../../../base/text/storable.ts";
import { ImportRefused } from "../refused.ts";

const MB = 1_048_576;
/** Bounds of a file that a stranger may have made; what is packed smaller than this is no table of counts. */
const MAX_ENTRIES = 1_000;
const MAX_RATIO = 1_000;
/** Bytes of a name in an archive. */
const MAX_NAME = 1_024;
/** The header before the name of a file in an archive, in bytes. */
const HEADER_BYTES = 30;
const MAX_UNPACKED = 64 * 1_024 * MB;
const NO_EXPORT = "that is no export of counts. Choose the file as it was downloaded.";
/** Enough for the first line of any of our formats. */
const HEAD_BYTES = 65_536;

/** A table, or another text: a file, or one in an archive. */
export interface Sheet {
  /** Without folders. */
  readonly name: string;
  /** Its first bytes as text. */
  readonly head: string;
  /** Its bytes, unpacked. */
  read(): AsyncIterable<Uint8Array>;
}

/** A file from elsewhere that was opened: one sheet, or an archive of several. */
export interface Input {
  /** Without folders. */
  readonly name: string;
  readonly sheets: readonly Sheet[];
  close(): Promise<void>;
}

/** Is told of bytes of the file as they are read. */
type OnBytes = (n: number) => void;

/**
 * Opens a file by its content: a zip, gzip or zstd archive, or a text.
 * @throws {ImportRefused} where it cannot be read, or unpacks to more than anybody counts
 */
export async function openInput(path: string, onBytes: OnBytes = () => {}): Promise<Input> {
  const name = basename(path);
  const kind = kindOf(await firstBytes(path, name));
  if (kind === "zip") return openZip(path, name, onBytes);
  const read = () => unpacked(createReadStream(path), kind, onBytes, name);
  return {
    name,
    sheets: [{ name: name.replace(/\.(gz|zst)$/i, ""), head: await headOf(read()), read }],
    close: async () => {},
  };
}

async function firstBytes(path: string, name: string): Promise<Uint8Array> {
  try {
    const file = await open(path);
    try {
      const { buffer, bytesRead } = await file.read(new Uint8Array(4), 0, 4, 0);
      return buffer.subarray(0, bytesRead);
    } finally {
      await file.close();
    }
  } catch (error) {
    throw new ImportRefused(`${name} cannot be read: ${(error as Error).message}.`, {
      cause: error,
    });
  }
}

type Kind = "zip" | "gzip" | "zstd" | "text";

const MAGIC: readonly (readonly [Kind, readonly number[]])[] = [
  ["zip", [0x50, 0x4b]],
  ["gzip", [0x1f, 0x8b]],
  ["zstd", [0x28, 0xb5, 0x2f, 0xfd]],
];

function kindOf(bytes: Uint8Array): Kind {
  const isIt = (magic: readonly number[]) => magic.every((byte, at) => bytes[at] === byte);
  return MAGIC.find(([, magic]) => isIt(magic))?.[0] ?? "text";
}

async function* unpacked(
  stream: Readable,
  kind: Kind,
  onBytes: OnBytes,
  name: string,
): AsyncGenerator<Uint8Array> {
  const bound = new Bound(name);
  stream.on("data", (bytes: Uint8Array) => {
    bound.packed += bytes.length;
    onBytes(bytes.length);
  });
  stream.pause();
  const unpack =
    kind === "gzip" ? createGunzip() : kind === "zstd" ? createZstdDecompress() : undefined;
  // Its errors come out of what is read.
  const source = unpack === undefined ? stream : pipeline(stream, unpack, () => {});
  try {
    for await (const bytes of source as AsyncIterable<Uint8Array>) {
      if (unpack !== undefined) bound.add(bytes.length);
      yield bytes;
    }
  } catch (error) {
    if (error instanceof ImportRefused) throw error;
    throw new ImportRefused(
      `${name} is cut off or damaged: ${(error as Error).message}. Download it again.`,
      { cause: error },
    );
  } finally {
    stream.destroy();
  }
}

/** Refuses what unpacks to far more than it is. */
class Bound {
  packed = 0;
  #unpacked = 0;
  readonly #name: string;

  constructor(name: string) {
    this.#name = name;
  }

  add(n: number): void {
    this.#unpacked += n;
    if (this.#unpacked > MAX_UNPACKED || this.#unpacked > MB + MAX_RATIO * this.packed)
      throw tooLarge(this.#name);
  }
}

function tooLarge(name: string): ImportRefused {
  return new ImportRefused(`${name} unpacks to far more than its size: ${NO_EXPORT}`);
}

/** The beginning of a text. */
async function headOf(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const some: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    some.push(chunk);
    bytes += chunk.length;
    if (bytes >= HEAD_BYTES) break;
  }
  return Buffer.concat(some)
    .subarray(0, HEAD_BYTES)
    .toString("utf8")
    .replace(/^\uFEFF/, "");
}

async function openZip(path: string, name: string, onBytes: OnBytes): Promise<Input> {
  const file = await open(path);
  try {
    const zip = await zipOf(file.fd);
    const entries = await entriesOf(zip, name);
    const sheets: Sheet[] = [];
    for (const entry of entries) {
      const read = (tell: OnBytes) => () => readEntry(zip, entry, tell, name);
      const head = await headOf(read(() => {})());
      sheets.push({ name: sheetName(entry), head, read: read(onBytes) });
    }
    return { name, sheets, close: () => file.close() };
  } catch (error) {
    await file.close();
    if (error instanceof ImportRefused) throw error;
    throw new ImportRefused(
      `${name} is no archive that can be read: ${storable((error as Error).message)}. Download it again.`,
      { cause: error },
    );
  }
}

function sheetName({ fileName }: Entry): string {
  return storable(basename(fileName));
}

function zipOf(fd: number): Promise<ZipFile> {
  const { promise, resolve, reject } = Promise.withResolvers<ZipFile>();
  fromFd(fd, { lazyEntries: true, autoClose: false }, (error, zip) =>
    error ? reject(error) : resolve(zip as ZipFile),
  );
  return promise;
}

/** The bytes of a file in an archive; what stands before them may be longer, not shorter. */
interface Place {
  readonly from: number;
  readonly to: number;
}

function overlap(places: readonly Place[]): boolean {
  const sorted = places.toSorted((a, b) => a.from - b.from);
  return sorted.some(({ from }, at) => from < (sorted[at - 1]?.to ?? 0));
}

/** The files of an archive, without archives in it. */
async function entriesOf(zip: ZipFile, name: string): Promise<Entry[]> {
  const { promise, resolve, reject } = Promise.withResolvers<Entry[]>();
  const entries: Entry[] = [];
  const places: Place[] = [];
  let unpackedBytes = 0;
  zip.on("entry", (entry: Entry) => {
    unpackedBytes += entry.uncompressedSize;
    const isHollow = entry.uncompressedSize > MB + MAX_RATIO * entry.compressedSize;
    if (zip.entryCount > MAX_ENTRIES || isHollow || unpackedBytes > MAX_UNPACKED)
      return reject(tooLarge(name));
    if (entry.fileNameLength > MAX_NAME)
      return reject(
        new ImportRefused(
          `${name} has a file with a name of ${entry.fileNameLength} bytes: ${NO_EXPORT}`,
        ),
      );
    const from = entry.relativeOffsetOfLocalHeader;
    places.push({ from, to: from + HEADER_BYTES + entry.fileNameLength + entry.compressedSize });
    const isFile = !entry.fileName.endsWith("/") && !/(^|\/)(\.|__MACOSX\/)/.test(entry.fileName);
    if (isFile && /\.(csv|jsonl?|tsv|txt|log)$/i.test(entry.fileName)) entries.push(entry);
    zip.readEntry();
  });
  zip.once("end", () => {
    if (overlap(places))
      reject(new ImportRefused(`${name} has files that share their bytes: ${NO_EXPORT}`));
    else resolve(entries);
  });
  zip.once("error", reject);
  zip.readEntry();
  return promise;
}

async function* readEntry(
  zip: ZipFile,
  entry: Entry,
  onBytes: OnBytes,
  name: string,
): AsyncGenerator<Uint8Array> {
  const { promise, resolve, reject } = Promise.withResolvers<Readable>();
  zip.openReadStream(entry, (error, stream) =>
    error ? reject(error) : resolve(stream as Readable),
  );
  let told = 0;
  try {
    const stream = await promise;
    let read = 0;
    for await (const bytes of stream as AsyncIterable<Uint8Array>) {
      read += bytes.length;
      // The archive's own bytes are told by their share.
      const packed = Math.floor(
        (entry.compressedSize * read) / Math.max(1, entry.uncompressedSize),
      );
      onBytes(packed - told);
      told = packed;
      yield bytes;
    }
  } catch (error) {
    if (error instanceof ImportRefused) throw error;
    throw new ImportRefused(
      `${sheetName(entry)} in ${name} is damaged: ${storable((error as Error).message)}. Download it again.`,
      { cause: error },
    );
  }
}
