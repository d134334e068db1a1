import type { Model } from "../usb/model.ts";

/** The fewest zeros in a row that are counted instead of written. */
const COUNTED_ZEROS = 6;
/** Output reports that are longer and of an unknown kind are taken for pictures behind so many bytes. */
const HEADER_BYTES = 16;
const LONGEST_COMMAND = 64;
/** The most bytes of one report, and of one line that says so. */
const MOST_REPORT_BYTES = 16_384;

const PICTURE_OF_MANY = 0x02;
const COMMAND = Buffer.from("CRT\0\0", "latin1");

/** The offset in an output report from which on it is a part of a picture; undefined where it is none. */
export function pictureAt(family: Model["family"], report: Buffer): number | undefined {
  if (family !== "elgato") {
    // The report id stands before a command, or before the next part of a file.
    return report.subarray(1, 1 + COMMAND.length).equals(COMMAND) ? undefined : 1;
  }
  if (report[0] !== PICTURE_OF_MANY || report.length <= LONGEST_COMMAND) return undefined;
  return report[1] === 0x07 || report[1] === 0x0b ? 8 : HEADER_BYTES;
}

/**
 * The bytes of a report for people: hexadecimal digits, `0*1014` for that many zeros, `picture*1016` for a part of a picture,
 * `?*12` for bytes of a serial number.
 * @param struck whether the byte at an offset is left out
 */
export function bytesText(
  report: Buffer,
  { picture = report.length, struck }: { picture?: number; struck?: (at: number) => boolean } = {},
): string {
  const words: string[] = [];
  let hex = "";
  for (let at = 0; at < picture; ) {
    const isStruck = struck?.(at) === true;
    const run = runFrom(report.subarray(0, picture), at, (byte, index) =>
      isStruck ? struck?.(index) === true : byte === 0 && struck?.(index) !== true,
    );
    if (run >= (isStruck ? 1 : COUNTED_ZEROS)) {
      if (hex !== "") words.push(hex);
      words.push(`${isStruck ? "?" : "0"}*${run}`);
      hex = "";
      at += run;
    } else {
      hex += report.toString("hex", at, at + 1);
      at += 1;
    }
  }
  if (hex !== "") words.push(hex);
  if (picture < report.length) words.push(`picture*${report.length - picture}`);
  return words.join(" ");
}

function runFrom(bytes: Buffer, from: number, isOf: (byte: number, at: number) => boolean): number {
  let at = from;
  while (at < bytes.length && isOf(bytes[at] ?? 0, at)) at += 1;
  return at - from;
}

const FILLERS: Readonly<Record<string, number>> = { "0": 0, "?": 0x58, picture: 0xaa };

/**
 * The bytes of such a text; an `X` stands for each byte that was struck.
 * @throws {Error} where it is none, or longer than any report
 */
export function textBytes(text: string): Buffer {
  const parts: Buffer[] = [];
  let length = 0;
  for (const word of text.split(" ").filter((each) => each !== "")) {
    const [, what = "", count = ""] = /^(0|\?|picture)\*(\d{1,5})$/.exec(word) ?? [];
    const isHex = /^(?:[0-9a-f]{2})+$/.test(word);
    if (count === "" && !isHex) throw new Error(`“${word.slice(0, 40)}” is no bytes of a report.`);
    length += isHex ? word.length / 2 : Number(count);
    if (length > MOST_REPORT_BYTES) throw new Error("No report is so long.");
    parts.push(isHex ? Buffer.from(word, "hex") : Buffer.alloc(Number(count), FILLERS[what]));
  }
  return Buffer.concat(parts);
}
