/** Fetches the source that a release owes. Its head for people is in image/sources. */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import {
  type IndexedSource,
  indexedSources,
  isFirmware,
  placeOf,
  type Source,
  type SpdxList,
  sourceLines,
  sourcesOf,
} from "./sources.ts";

const MIRROR = process.env.DEBIAN_MIRROR ?? "http://deb.debian.org/debian";
const SECURITY = process.env.DEBIAN_SECURITY_MIRROR ?? "http://deb.debian.org/debian-security";
const MOST_CRATE_BYTES = 50_000_000;

/** A reason to stop, in a sentence for the person who waits. */
class Stopped extends Error {}

/** apt with lists of its own, in a folder that is gone afterwards. */
class Apt {
  readonly #env: NodeJS.ProcessEnv;

  /** @throws {Stopped} when Debian's lists of sources cannot be had */
  constructor(folder: string) {
    const lists = join(folder, "lists");
    for (const each of ["lists/partial", "cache/archives/partial", "parts"])
      mkdirSync(join(folder, each), { recursive: true });
    const suites = [
      `${MIRROR} trixie main non-free-firmware`,
      `${MIRROR} trixie-updates main non-free-firmware`,
      `${MIRROR} trixie-backports main`,
      `${SECURITY} trixie-security main non-free-firmware`,
    ];
    writeFileSync(
      join(folder, "sources.list"),
      suites.map((suite) => `deb-src ${suite}\n`).join(""),
    );
    const settings = {
      "Dir::Etc::SourceList": join(folder, "sources.list"),
      "Dir::Etc::SourceParts": join(folder, "parts"),
      "Dir::State::Lists": lists,
      "Dir::Cache": join(folder, "cache"),
      "Acquire::Languages": "none",
      "Acquire::Retries": "3",
      "APT::Sandbox::User": "root",
    };
    const config = join(folder, "apt.conf");
    writeFileSync(
      config,
      Object.entries(settings)
        .map(([name, value]) => `${name} "${value}";\n`)
        .join(""),
    );
    this.#env = { ...process.env, APT_CONFIG: config, LC_ALL: "C" };
    this.#run("apt-get", ["-qq", "update"]);
  }

  /** The entries of all lists, by name and version. */
  index(): Map<string, IndexedSource> {
    const format = ["indextargets", "--format", "$(FILENAME)", "Created-By: Sources"];
    const files = this.#run("apt-get", format).split("\n").filter(Boolean);
    const entries = files.flatMap((file) =>
      indexedSources(this.#run("/usr/lib/apt/apt-helper", ["cat-file", file])),
    );
    return new Map(entries.map((entry) => [`${entry.name} ${entry.version}`, entry]));
  }

  /** Brings the files of a source into a folder. */
  fetch({ name, version }: Source, into: string): void {
    const from = ["-qq", "source", "--download-only", "--only-source", `${name}=${version}`];
    try {
      this.#run("apt-get", from, into);
    } catch (error) {
      if (!(error instanceof Stopped)) throw error;
      throw new Stopped(
        `${error.message}\nThe mirror lists ${name} ${version} and does not have it. Try again later, or name another by DEBIAN_MIRROR.`,
      );
    }
  }

  #run(program: string, args: readonly string[], cwd = "."): string {
    const { status, stdout, stderr } = spawnSync(program, args, {
      cwd,
      env: this.#env,
      encoding: "utf8",
      maxBuffer: 2 ** 30,
    });
    if (status !== 0) throw new Stopped(`${program} ${args.join(" ")} failed:\n${stderr.trim()}`);
    return stdout;
  }
}

interface Wish {
  readonly lists: readonly SpdxList[];
  readonly folder: string;
  /** Names of the sources to bring; all that are owed, unless given. */
  readonly only: ReadonlySet<string> | undefined;
  readonly isListOnly: boolean;
}

async function fetchSources(wish: Wish, work: string): Promise<void> {
  const sources = sourcesOf(wish.lists);
  say("Reading Debian's lists of sources …");
  const apt = new Apt(join(work, "apt"));
  const index = apt.index();
  const indexedOf = ({ kind, name, version }: Source) =>
    kind === "deb" ? index.get(`${name} ${version}`) : undefined;
  const wanted = sources
    .filter((source) => source.isOwed && !isFirmware(indexedOf(source)))
    .filter(({ name }) => wish.only?.has(name) ?? true);
  const sizeOf = (source: Source) =>
    (indexedOf(source)?.files ?? []).reduce((sum, { size }) => sum + size, 0);
  const gone = wanted.filter((source) => source.kind === "deb" && sizeOf(source) === 0);
  const bytes = wanted.reduce((sum, source) => sum + sizeOf(source), 0);
  writeFileSync(
    join(wish.folder, "sources.txt"),
    sourceLines(sources, indexedOf)
      .map((line) => `${line}\n`)
      .join(""),
  );
  const debian = wanted.filter(({ kind }) => kind === "deb");
  say(`${sources.length} sources are in sources.txt. ${wanted.length} are for sources.tar:`);
  say(
    `${debian.length} of Debian, ${bytes} bytes; ${wanted.length - debian.length} of other places.`,
  );
  if (gone.length > 0)
    throw new Stopped(
      `Debian's mirror has these versions no more: ${gone.map(({ name, version }) => `${name} ${version}`).join(", ")}. Build the release anew with today's packages, or bring them from ${gone.map(placeOf).join(" ")}.`,
    );
  if (wish.isListOnly) return;
  // An earlier run may have brought the first of them.
  const tar = join(wish.folder, "sources.tar.part");
  const filesOf = (source: Source) =>
    indexedOf(source)?.files.map(({ name }) => name) ?? [basename(placeOf(source))];
  const had = wanted.length - missingIn(tar, wanted, filesOf).length;
  if (had > 0) say(`${had} are here from an earlier run.`);
  const rest = wanted.slice(had).map(sizeOf);
  leaveRoom(
    wish.folder,
    rest.reduce((sum, size) => sum + size, 0),
    Math.max(0, ...rest),
  );
  for (const [at, source] of wanted.entries()) {
    if (at < had) continue;
    say(`${at + 1} of ${wanted.length}: ${source.name} ${source.version}, ${sizeOf(source)} bytes`);
    await addTo(tar, source, { apt, work });
  }
  if (wanted.length > 0) renameSync(tar, join(wish.folder, "sources.tar"));
  say(
    `sources.tar has ${wanted.length > 0 ? statSync(join(wish.folder, "sources.tar")).size : 0} bytes.`,
  );
}

/**
 * The sources after those that a tar begins with; all, and no tar, where it broke off or has something else.
 * @param filesOf the names of a source's files
 */
function missingIn(
  tar: string,
  wanted: readonly Source[],
  filesOf: (source: Source) => readonly string[],
): readonly Source[] {
  if (!existsSync(tar)) return wanted;
  const { status, stdout } = spawnSync("tar", ["-tf", tar], {
    encoding: "utf8",
    maxBuffer: 2 ** 30,
  });
  const there = new Set(stdout.split("\n").filter(Boolean));
  const isWhole = (source: Source) =>
    filesOf(source).every((name) => there.delete(`${folderOf(source)}/${name}`));
  const had = wanted.findIndex((source) => !isWhole(source));
  const rest = had < 0 ? [] : wanted.slice(had);
  if (status === 0 && there.size === 0) return rest;
  rmSync(tar);
  return wanted;
}

function folderOf({ kind, name, version }: Source): string {
  return `${kind}-${name.replaceAll("/", "-")}-${version.replaceAll(/[:/]/g, "-")}`;
}

/** The tar grows by one source at a time, whose files are then removed. @throws {Stopped} when it would not fit */
function leaveRoom(folder: string, bytes: number, largest: number): void {
  const { bavail, bsize } = statfsSync(folder);
  const needed = Math.ceil((bytes + largest) * 1.05);
  if (bavail * bsize < needed)
    throw new Stopped(
      `${folder} has ${bavail * bsize} bytes free, and this needs ${needed}. Give a folder on another disk.`,
    );
}

/** Brings a source, and adds its files to the tar without owner or time, so that the same files are the same bytes. */
async function addTo(tar: string, source: Source, { apt, work }: { apt: Apt; work: string }) {
  const folder = folderOf(source);
  const into = join(work, folder);
  mkdirSync(into);
  if (source.kind === "deb") apt.fetch(source, into);
  else writeFileSync(join(into, basename(placeOf(source))), await download(source));
  const names = readdirSync(into)
    .sort()
    .map((name) => join(folder, name));
  const plain = [
    "--owner=0",
    "--group=0",
    "--numeric-owner",
    "--mode=0644",
    "--mtime=@0",
    "--format=gnu",
  ];
  const { status, stderr } = spawnSync("tar", ["-C", work, ...plain, "-rf", tar, ...names], {
    encoding: "utf8",
  });
  if (status !== 0) throw new Stopped(`tar: ${stderr.trim()}`);
  rmSync(into, { recursive: true });
}

/** The archive of a crate or a module. @throws {Stopped} unless it is there, and has the checksum of the list of parts */
async function download(source: Source): Promise<Uint8Array> {
  const place = placeOf(source);
  const { name, version, checksum } = source;
  const answer = await fetch(place).catch((error: Error) => {
    throw new Stopped(`${place} cannot be reached: ${error.message}. Try again where it can.`);
  });
  if (!answer.ok) throw new Stopped(`${place} answers ${answer.status}.`);
  if (Number(answer.headers.get("content-length")) > MOST_CRATE_BYTES)
    throw new Stopped(`${place} is larger than ${MOST_CRATE_BYTES} bytes.`);
  const bytes = new Uint8Array(await answer.arrayBuffer());
  const algorithm = checksum?.length === 128 ? "sha512" : "sha256";
  if (createHash(algorithm).update(bytes).digest("hex") !== checksum)
    throw new Stopped(`${place} is not ${name} ${version} as the list of parts has it.`);
  return bytes;
}

function say(text: string): void {
  console.error(text);
}

async function main(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { list: { type: "boolean" }, only: { type: "string" } },
    allowPositionals: true,
  });
  const folder = positionals.pop();
  if (folder === undefined || positionals.length === 0) {
    say("Usage: image/sources SPDX-FILE… FOLDER [--list] [--only NAME,…]");
    return 2;
  }
  mkdirSync(folder, { recursive: true });
  const work = mkdtempSync(join(folder, ".sources-"));
  try {
    const lists = positionals.map((path) => JSON.parse(readFileSync(path, "utf8")) as SpdxList);
    const only = values.only === undefined ? undefined : new Set(values.only.split(","));
    await fetchSources({ lists, folder, only, isListOnly: values.list === true }, work);
    return 0;
  } catch (error) {
    if (!(error instanceof Stopped)) throw error;
    say(`image/sources: ${error.message}`);
    return 1;
  } finally {
    rmSync(work, { recursive: true });
  }
}

if (import.meta.main) process.exitCode = await main(process.argv.slice(2));
