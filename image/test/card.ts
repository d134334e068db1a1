import { execFileSync } from "node:child_process";
import { mkdirSync, truncateSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { BootFiles } from "../boot-lint.ts";
import { BootPartition } from "./fat.ts";
import { firmwareTurn, type Hardware } from "./firmware.ts";

/** The size of the card, which is larger than the image, so that the data partition can grow. */
const CARD_BYTES = 4 * 1024 ** 3;

/** A disk that a machine starts from. */
export interface Disk {
  /** The place of its file, and of all else that belongs to its machine. */
  readonly folder: string;
  readonly file: string;
  /** @param chosen the files on it to start; those that its firmware would choose unless given */
  startFiles(hardware: Hardware, chosen?: BootFiles): StartFiles;
}

/** The files that QEMU puts into memory, and the kernel's words. */
interface StartFiles {
  readonly kernel: string | undefined;
  readonly initrd: string | undefined;
  readonly deviceTree?: string | undefined;
  readonly commandLine: string;
}

/** A copy of an image on a card of its own, in a folder of its own. */
export class Card implements Disk {
  readonly folder: string;
  readonly file: string;
  readonly boot: BootPartition;

  constructor(image: string, folder: string) {
    mkdirSync(folder, { recursive: true });
    this.folder = folder;
    this.file = join(folder, "card.img");
    execFileSync("cp", ["--sparse=always", image, this.file]);
    truncateSync(this.file, CARD_BYTES);
    this.boot = new BootPartition(this.file);
  }

  /** Copies out of the boot partition what the firmware would put into memory. */
  startFiles(hardware: Hardware, chosen?: BootFiles): StartFiles {
    const named = chosen ?? byConfig(this.boot, hardware);
    const copy = (file: string) => {
      const path = join(this.folder, basename(file));
      const content = this.boot.read(file);
      if (content === undefined) return;
      writeFileSync(path, content);
      return path;
    };
    return {
      kernel: copy(named.kernel),
      initrd: copy(named.initrd),
      deviceTree: copy(named.deviceTree),
      commandLine: this.boot.read(named.commandLine)?.toString("utf8").trim() ?? "",
    };
  }
}

function byConfig(boot: BootPartition, hardware: Hardware): BootFiles {
  const turn = firmwareTurn(boot, hardware, { isTrial: false, isJumpered: false });
  if (turn.type !== "starts") throw new Error(`no board starts with this card: ${turn.reason}`);
  return turn.files;
}
