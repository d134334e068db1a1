import { ELGATO_MODELS } from "../../deck/usb/elgato-models.ts";
import { type Bitmap, bmpOf, digitPicture, jpegOf, turned, turnedByQuarter } from "./picture.ts";

/** The most bytes of a report of a picture, but of the first model. */
const REPORT_BYTES = 1_024;
const ORIGINAL_REPORT_BYTES = 8_191;
/** Digits stand in rows of three, which every deck has. */
const DIGITS_A_ROW = 3;

/** The reports for one key. @param key row by row */
type KeyReports = (picture: Bitmap, key: number) => Buffer[];

/** Panels that are not built in upside down. */
const TURNS: Readonly<Record<string, (picture: Bitmap) => Bitmap>> = {
  plus: (picture) => picture,
  studio: (picture) => picture,
  "plus-xl": turnedByQuarter,
};

/**
 * The reports by which an Elgato deck shows six digits on its keys, three a row, and darkens the others; undefined for a
 * deck that cannot. As @elgato-stream-deck/core sends them; a test holds them together.
 * @param product the id on USB
 */
export function codeReports(product: number, code: string): Buffer[] | undefined {
  const model = ELGATO_MODELS.find(({ usb }) => usb.some((id) => id.product === product));
  const keys = model?.slots.filter(({ kind }) => kind === "key") ?? [];
  const first = keys[0];
  if (model === undefined || first === undefined) return undefined;
  const reportsOf = wireOf(model.id);
  return keys.flatMap((key, index) => {
    const [column, row] = [key.column - first.column, key.row - first.row];
    const digit = column < DIGITS_A_ROW ? code[row * DIGITS_A_ROW + column] : undefined;
    return reportsOf(digitPicture(digit === undefined ? undefined : Number(digit), key), index);
  });
}

function wireOf(model: string): KeyReports {
  if (model === "original") return originalReports;
  if (model === "mini" || model === "module-6") return miniReports;
  const turn = TURNS[model] ?? turned;
  return (picture, key) =>
    inParts(jpegOf(turn(picture)), 8, (report, { part, isLast, bytes }) => {
      report.set([0x02, 0x07, key, isLast ? 1 : 0]);
      report.writeUInt16LE(bytes, 4);
      report.writeUInt16LE(part, 6);
    });
}

/** The first model: keys from the right, pictures mirrored, in two large halves. */
const originalReports: KeyReports = (picture, key) => {
  const width = picture.columns * 8;
  const file = bmpOf(picture, (x, y) => [width - 1 - x, y], 3_780);
  const mirrored = key - (key % 5) + 4 - (key % 5);
  return [file.subarray(0, file.length / 2), file.subarray(file.length / 2)].map((half, index) => {
    const report = Buffer.alloc(ORIGINAL_REPORT_BYTES);
    report.set([0x02, 0x01, index + 1, 0, index, mirrored + 1]);
    half.copy(report, 16);
    return report;
  });
};

/** Six keys: pictures turned by a quarter. */
const miniReports: KeyReports = (picture, key) => {
  const height = picture.rows * 8;
  const file = bmpOf(picture, (x, y) => [height - 1 - y, x], 2_835);
  return inParts(file, 16, (report, { part, isLast }) => {
    report.set([0x02, 0x01, part, 0, isLast ? 1 : 0, key + 1]);
  });
};

/** A file in reports of one size, each with a head. */
function inParts(
  file: Buffer,
  headBytes: number,
  writeHead: (report: Buffer, about: { part: number; isLast: boolean; bytes: number }) => void,
): Buffer[] {
  const room = REPORT_BYTES - headBytes;
  return Array.from({ length: Math.ceil(file.length / room) }, (_, part) => {
    const report = Buffer.alloc(REPORT_BYTES);
    const bytes = file.copy(report, headBytes, part * room, (part + 1) * room);
    writeHead(report, { part, isLast: (part + 1) * room >= file.length, bytes });
    return report;
  });
}
