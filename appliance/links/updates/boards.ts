import { bytesOf } from "../../base/system/files.ts";

/**
 * Models on which an update and a way back were seen to work, as their device tree calls them:
 * `raspberrypi,4-model-b`. The table in docs/hardware.md counts the reports that say so.
 */
const TRIED_BOARDS: readonly string[] = [];

/** The board of this machine, as far as it says so. */
export interface ThisBoard {
  /** The model for people: `Raspberry Pi 4 Model B Rev 1.4`. */
  readonly model: string | null;
  /** The boards that it is like, the most exact first. */
  readonly compatible: readonly string[];
  /** Whether an update and a rollback have worked on such a board. */
  readonly isTried: boolean;
}

// The sandbox shows no /proc/device-tree.
const TREE = "/sys/firmware/devicetree/base";
const MOST_BYTES = 1_024;

/** @param tree where the system shows the device tree it was started with */
export function thisBoard(tree = TREE): ThisBoard {
  const texts = (name: string) =>
    Buffer.from(bytesOf(`${tree}/${name}`, MOST_BYTES) ?? [])
      .toString("utf8")
      .split("\0")
      .filter((text) => text !== "");
  const compatible = texts("compatible");
  const isTried = compatible.some((model) => TRIED_BOARDS.includes(model));
  return { model: texts("model")[0] ?? null, compatible, isTried };
}
