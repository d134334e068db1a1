import { BOARDS, type BootFiles, bootFiles, withJumper } from "../boot-lint.ts";
import type { BootPartition } from "./fat.ts";

/** QEMU's machines. */
export type Hardware = "virt" | "raspi3b";

/** The outcome of a board after power-on or a reset. */
type Turn =
  | { readonly type: "starts"; readonly config: string; readonly files: BootFiles }
  /** Nothing more comes of it until somebody pulls the plug. */
  | { readonly type: "hangs"; readonly reason: string }
  /** It resets itself, and forgets the trial. */
  | { readonly type: "resets"; readonly reason: string };

interface Conditions {
  /** The flag of SET_REBOOT_FLAGS was set before a reset, and has not been read since. */
  readonly isTrial: boolean;
  /** A jumper is on pins 5 and 6. */
  readonly isJumpered: boolean;
}

/** The board that each of QEMU's machines stands for. */
const PLAYED: Readonly<Record<Hardware, string>> = { virt: "4 B", raspi3b: "3 B" };
/** The place of an arm64 kernel's magic number (Linux, Documentation/arch/arm64/booting.rst). */
const MAGIC_AT = 56;
const MAGIC = "ARMd";

/**
 * The behaviour of the firmware with a boot partition. In a trial it reads tryboot.txt in place of config.txt,
 * if there is one. That it comes back by itself where a trial has no kernel was measured on a Pi 3; a
 * kernel that is none freezes a Pi 5 until it loses its power.
 */
export function firmwareTurn(
  { read, has }: BootPartition,
  hardware: Hardware,
  { isTrial, isJumpered }: Conditions,
): Turn {
  const board = BOARDS.find((each) => each.name === PLAYED[hardware]);
  if (board === undefined) throw new Error(`the linter knows no Pi ${PLAYED[hardware]}`);
  const config = isTrial && has("tryboot.txt") ? "tryboot.txt" : "config.txt";
  const text = read(config)?.toString("latin1");
  if (text === undefined) return { type: "hangs", reason: "there is no config.txt" };
  const files = bootFiles(text, isJumpered ? withJumper(board) : board, has);
  const kernel = read(files.kernel);
  if (kernel === undefined)
    return { type: isTrial ? "resets" : "hangs", reason: `${files.kernel} is not there` };
  if (kernel.toString("latin1", MAGIC_AT, MAGIC_AT + MAGIC.length) !== MAGIC)
    return { type: "hangs", reason: `${files.kernel} is no kernel` };
  return { type: "starts", config, files };
}
