import { execFileSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { BOOT_PART, type Manifest, ROOT_PART } from "../../appliance/base/release/manifest.ts";
import { parseRelease, type Release } from "../../appliance/base/release/release.ts";
import { DATA_FORMAT } from "../../appliance/store/format.ts";
import { Minisign } from "../../test/helpers/minisign.ts";
import { bundleOf, manifestOf, packedBoot } from "../../test/helpers/release.ts";
import { BootPartition, copySectors, partition } from "./fat.ts";

/** The files that image/build keeps. */
export const IMAGE_CACHE = process.env.TALLYDECK_IMAGE_CACHE ?? "/var/cache/tallydeck-image";
const TOOLS = join(IMAGE_CACHE, "tools");
/** The boards of QEMU's machines, by their device trees. */
export const BOARDS = ["linux,dummy-virt", "raspberrypi,3-model-b"];
/** The file that the initrd compares with the root's release. */
const CONF = "conf/tallydeck-release";

export interface Bundle extends Release {
  readonly file: string;
  /** Its root.img. */
  readonly root: string;
}

interface Wanted extends Release {
  /** Changed fields of the manifest. */
  readonly manifest?: Partial<Manifest>;
  /** Changes the root's files; by `put` only, since other releases share those that stay. */
  readonly change?: (root: string) => void;
  readonly signer?: Minisign;
}

/** Makes further releases out of an image: the same system under other numbers, or a broken one. */
export class Workshop {
  /** The release of the image itself. */
  readonly base: Release;
  /** Signs these releases; its key is gone with the process. */
  readonly signer = new Minisign();
  readonly #folder: string;

  /** Needs root, and the tools that image/build left. */
  constructor(image: string, folder: string) {
    this.#folder = folder;
    mkdirSync(join(folder, "boot"), { recursive: true });
    const { from, to } = partition(image, 2);
    copySectors(image, `${folder}/root.erofs`, "conv=sparse", `skip=${from}`, `count=${to - from}`);
    this.#inTools("fsck.erofs", "--extract=/work/root", "/work/root.erofs");
    rmSync(join(folder, "root.erofs"));
    new BootPartition(image).copyOut("a", join(folder, "boot"));
    const base = parseRelease(readFileSync(join(folder, "boot/release"), "utf8"));
    if (base === undefined) throw new Error("the image does not tell its release");
    this.base = base;
  }

  make(wanted: Wanted): Bundle {
    const { release, version, signer = this.signer } = wanted;
    const folder = join(this.#folder, `release-${version}`);
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder);
    const [root, boot] = [join(folder, ROOT_PART), this.#boot({ release, version })];
    this.makeRoot(wanted, root);
    const content = readFileSync(root);
    const said = {
      release,
      version,
      boards: BOARDS,
      data: DATA_FORMAT,
      notes: `Made by tests: ${version}.`,
    };
    const manifest = Buffer.from(
      JSON.stringify({ ...manifestOf(content, boot), ...said, ...wanted.manifest }),
    );
    writeFileSync(join(folder, BOOT_PART), boot);
    const file = join(folder, `tallydeck-${version}.tallydeck`);
    writeFileSync(file, bundleOf(manifest, signer.sign(manifest), boot, content));
    return { release, version, root, file };
  }

  /** A root.img alone. */
  makeRoot({ release, version, change }: Omit<Wanted, "manifest" | "signer">, file: string): void {
    const root = join(this.#folder, "changed");
    execFileSync("cp", ["-al", join(this.#folder, "root"), root]);
    put(root, "etc/tallydeck-release", told({ release, version }));
    const about = JSON.parse(readFileSync(join(root, "opt/tallydeck/package.json"), "utf8"));
    put(root, "opt/tallydeck/package.json", JSON.stringify({ ...about, version }));
    change?.(root);
    // Quick to make, and larger than a release is.
    this.#inTools("mkfs.erofs", "--quiet", "-T0", "-zlz4", "/work/root.new", "/work/changed");
    renameSync(join(this.#folder, "root.new"), file);
    rmSync(root, { recursive: true });
  }

  #boot(named: Release): Buffer {
    const boot = join(this.#folder, "changed-boot");
    cpSync(join(this.#folder, "boot"), boot, { recursive: true });
    writeFileSync(join(boot, "release"), told(named));
    const initrd = join(boot, "initrd.img");
    writeFileSync(initrd, withFile(readFileSync(initrd), CONF, told(named)));
    const content = (name: string) => readFileSync(join(boot, name));
    const files = readdirSync(boot).map((name) => ({ name, content: content(name) }));
    rmSync(boot, { recursive: true });
    return packedBoot(files);
  }

  /** Runs a program of the tool root, which sees this folder as /work. */
  #inTools(...command: readonly string[]): void {
    const script = 'mkdir -p "$2/work"; mount --bind "$1" "$2/work" && shift && exec chroot "$@"';
    const words = ["--mount", "sh", "-c", script, "sh", this.#folder, TOOLS, ...command];
    execFileSync("unshare", words, { stdio: ["ignore", "ignore", "pipe"] });
  }
}

/** Puts a file in the place of one that other releases may share. */
export function put(root: string, path: string, content: string, mode = 0o644): void {
  rmSync(join(root, path), { force: true });
  mkdirSync(join(root, path, ".."), { recursive: true });
  writeFileSync(join(root, path), content, { mode });
}

function told({ release, version }: Release): string {
  return `RELEASE=${release}\nVERSION=${version}\nCOMMIT=tests\n`;
}

/** The kernel unpacks one archive after the other (Linux, buffer-format.rst): a later file replaces. */
function withFile(initrd: Buffer, name: string, content: string): Buffer {
  const padding = Buffer.alloc((4 - (initrd.length % 4)) % 4);
  return Buffer.concat([
    ...[initrd, padding],
    ...[entry("conf", 0o040755, ""), entry(name, 0o100644, content), entry("TRAILER!!!", 0, "")],
  ]);
}

/** A file in cpio's form `newc`. */
function entry(name: string, mode: number, content: string): Buffer {
  const head = [0, mode, 0, 0, 1, 0, content.length, 0, 0, 0, 0, name.length + 1, 0];
  const hex = head.map((number) => number.toString(16).padStart(8, "0")).join("");
  return Buffer.concat([filled(`070701${hex}${name}\0`), filled(content)]);
}

function filled(text: string): Buffer {
  return Buffer.from(text + "\0".repeat((4 - (text.length % 4)) % 4), "latin1");
}
