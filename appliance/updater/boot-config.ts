import { otherSlot, type Slot } from "../release/release.ts";

const PREFIX = /^\s*os_prefix=(\S*)\s*$/i;
const SECTION = /^\s*\[([^\]]*)\]\s*$/;
/** Pins 5 and 6 of the header, joined by a jumper. */
const JUMPER = "gpio3=0";

interface ConfigLine {
  /** The text of the line, with its end. */
  readonly text: string;
  /** The folder it names. */
  readonly prefix?: string;
  readonly isForJumper: boolean;
}

/**
 * The slot that a config.txt starts without a jumper.
 * @param config bytes as Latin-1, which keeps all changes of the owner
 * @returns undefined when it names none
 */
export function slotOfConfig(config: string): Slot | undefined {
  const last = linesOf(config).findLast((line) => line.prefix !== undefined && !line.isForJumper);
  if (last?.prefix === "a/") return "a";
  return last?.prefix === "b/" ? "b" : undefined;
}

/**
 * The same config.txt for another slot, which the jumper leads out of. The owner's own lines stay.
 */
export function configWithSlot(config: string, slot: Slot): string {
  const lines = linesOf(config);
  const folder = (isForJumper: boolean) => `${isForJumper ? otherSlot(slot) : slot}/`;
  const text = lines
    .map((line) =>
      line.prefix === undefined
        ? line.text
        : line.text.replace(/=\S*/, `=${folder(line.isForJumper)}`),
    )
    .join("");
  const has = (isForJumper: boolean) =>
    lines.some((line) => line.prefix !== undefined && line.isForJumper === isForJumper);
  return has(false) && has(true) ? text : `${ended(text)}${block(slot, endOf(config))}`;
}

function linesOf(config: string): ConfigLine[] {
  let section = "all";
  return (config.match(/[^\n]*\n|[^\n]+$/g) ?? []).map((text) => {
    section = SECTION.exec(text)?.[1]?.toLowerCase() ?? section;
    const prefix = PREFIX.exec(text)?.[1]?.toLowerCase();
    return { text, ...(prefix !== undefined && { prefix }), isForJumper: section === JUMPER };
  });
}

function endOf(config: string): string {
  return config.includes("\r\n") ? "\r\n" : "\n";
}

function ended(config: string): string {
  return config === "" || config.endsWith("\n") ? config : config + endOf(config);
}

function block(slot: Slot, end: string): string {
  return [
    "",
    "[all]",
    "# The system in use is in a/ or b/. The box writes these lines when it updates.",
    `os_prefix=${slot}/`,
    "# A jumper on pins 5 and 6 starts the other one.",
    `[${JUMPER}]`,
    `os_prefix=${otherSlot(slot)}/`,
    "[all]",
    "",
  ].join(end);
}
