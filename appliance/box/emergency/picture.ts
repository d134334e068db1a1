/**
 * Pictures of digits in squares of eight pixels, as files of JPEG (ITU-T T.81) and BMP. Each square is a block of JPEG
 * with one brightness, so that no transform is needed.
 */

/** Pixels of a square. */
const SQUARE = 8;
const MOST_BRIGHT = 255;

/** A picture of light and dark squares. */
export interface Bitmap {
  readonly columns: number;
  readonly rows: number;
  isLight(column: number, row: number): boolean;
}

/** Five columns and seven rows of each digit, as rows of bits. */
const DIGITS: readonly (readonly number[])[] = [
  [0b01110, 0b10001, 0b10011, 0b10101, 0b11001, 0b10001, 0b01110],
  [0b00100, 0b01100, 0b00100, 0b00100, 0b00100, 0b00100, 0b01110],
  [0b01110, 0b10001, 0b00001, 0b00010, 0b00100, 0b01000, 0b11111],
  [0b11111, 0b00010, 0b00100, 0b00010, 0b00001, 0b10001, 0b01110],
  [0b00010, 0b00110, 0b01010, 0b10010, 0b11111, 0b00010, 0b00010],
  [0b11111, 0b10000, 0b11110, 0b00001, 0b00001, 0b10001, 0b01110],
  [0b00110, 0b01000, 0b10000, 0b11110, 0b10001, 0b10001, 0b01110],
  [0b11111, 0b00001, 0b00010, 0b00100, 0b01000, 0b01000, 0b01000],
  [0b01110, 0b10001, 0b10001, 0b01110, 0b10001, 0b10001, 0b01110],
  [0b01110, 0b10001, 0b10001, 0b01111, 0b00001, 0b00010, 0b01100],
];
const DIGIT = { columns: 5, rows: 7 } as const;

/**
 * A digit in the middle of a picture, or a dark one.
 * @param size pixels, multiples of eight
 */
export function digitPicture(
  digit: number | undefined,
  { width, height }: { readonly width: number; readonly height: number },
): Bitmap {
  const [columns, rows] = [Math.floor(width / SQUARE), Math.floor(height / SQUARE)];
  const left = Math.floor((columns - DIGIT.columns) / 2);
  const top = Math.floor((rows - DIGIT.rows) / 2);
  const lines = digit === undefined ? undefined : DIGITS[digit];
  return {
    columns,
    rows,
    isLight(column, row) {
      const [x, y] = [column - left, row - top];
      if (x < 0 || x >= DIGIT.columns) return false;
      return (((lines?.[y] ?? 0) >> (DIGIT.columns - 1 - x)) & 1) === 1;
    },
  };
}

/** The picture upside down. */
export function turned(squares: Bitmap): Bitmap {
  const { columns, rows } = squares;
  return {
    columns,
    rows,
    isLight: (column, row) => squares.isLight(columns - 1 - column, rows - 1 - row),
  };
}

/** The picture turned by a quarter, clockwise from the panel's side. */
export function turnedByQuarter({ columns, rows, isLight }: Bitmap): Bitmap {
  return {
    columns: rows,
    rows: columns,
    isLight: (column, row) => isLight(columns - 1 - row, column),
  };
}

/** Brightness is stored in steps of one; a block's own value is eight times its pixels'. */
const QUANTIZATION = 8;
/** Code lengths of sizes of differences, and the end of a block: table K.3 of the standard, and the first two codes of K.5. */
const DC_COUNTS = [0, 1, 5, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0];
const DC_SIZES = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11];
const AC_COUNTS = [0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
const AC_SYMBOLS = [0x00, 0x01];
const END_OF_BLOCK = { bits: 0b00, length: 2 } as const;

/** A file of JPEG, with halved colour as cameras and canvases write it. */
export function jpegOf(squares: Bitmap): Buffer {
  const [width, height] = [squares.columns * SQUARE, squares.rows * SQUARE];
  const word = (value: number) => [value >> 8, value & 0xff];
  const segment = (marker: number, bytes: readonly number[]) => [
    ...[0xff, marker],
    ...word(bytes.length + 2),
    ...bytes,
  ];
  const head = [
    ...[0xff, 0xd8],
    ...segment(0xe0, [0x4a, 0x46, 0x49, 0x46, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0]),
    ...segment(0xdb, [0, ...new Array<number>(64).fill(QUANTIZATION)]),
    ...segment(0xc0, [8, ...word(height), ...word(width), 3, 1, 0x22, 0, 2, 0x11, 0, 3, 0x11, 0]),
    ...segment(0xc4, [0x00, ...DC_COUNTS, ...DC_SIZES]),
    ...segment(0xc4, [0x10, ...AC_COUNTS, ...AC_SYMBOLS]),
    ...segment(0xda, [3, 1, 0, 2, 0, 3, 0, 0, 63, 0]),
  ];
  return Buffer.from([...head, ...scanOf(squares), 0xff, 0xd9]);
}

function scanOf({ columns, rows, isLight }: Bitmap): number[] {
  const codes = codesOf(DC_COUNTS, DC_SIZES);
  const out = new Bits();
  let last = 0;
  const block = (difference: number) => {
    const size = difference === 0 ? 0 : Math.floor(Math.log2(Math.abs(difference))) + 1;
    const code = codes.get(size);
    if (code !== undefined) out.put(code.bits, code.length);
    out.put(difference < 0 ? difference + 2 ** size - 1 : difference, size);
    out.put(END_OF_BLOCK.bits, END_OF_BLOCK.length);
  };
  for (let row = 0; row < rows; row += 2)
    for (let column = 0; column < columns; column += 2) {
      for (const [x, y] of [
        [0, 0],
        [1, 0],
        [0, 1],
        [1, 1],
      ] as const) {
        const value = (isLight(column + x, row + y) ? MOST_BRIGHT : 0) - 128;
        block(value - last);
        last = value;
      }
      // Both colours are always none.
      block(0);
      block(0);
    }
  return out.end();
}

interface Code {
  readonly bits: number;
  readonly length: number;
}

/** Codes by symbol, in the order of the standard's annex C. */
function codesOf(counts: readonly number[], symbols: readonly number[]): Map<number, Code> {
  const codes = new Map<number, Code>();
  let [bits, next] = [0, 0];
  for (const [index, count] of counts.entries()) {
    for (let each = 0; each < count; each += 1) {
      codes.set(symbols[next] ?? 0, { bits, length: index + 1 });
      next += 1;
      bits += 1;
    }
    bits *= 2;
  }
  return codes;
}

/** Bits in bytes; a byte of ones is followed by one of zeros. */
class Bits {
  readonly #bytes: number[] = [];
  #waiting = 0;
  #count = 0;

  put(bits: number, length: number): void {
    for (let bit = length - 1; bit >= 0; bit -= 1) {
      this.#waiting = (this.#waiting << 1) | ((bits >> bit) & 1);
      this.#count += 1;
      if (this.#count < 8) continue;
      this.#bytes.push(this.#waiting);
      if (this.#waiting === 0xff) this.#bytes.push(0);
      [this.#waiting, this.#count] = [0, 0];
    }
  }

  end(): number[] {
    if (this.#count > 0) this.put(0xff, 8 - this.#count);
    return this.#bytes;
  }
}

const BMP_HEADER = 54;

/**
 * A file of BMP of 24 bits, its rows as `from` names them.
 * @param from the place in the picture of a pixel of the file
 * @param perMeter pixels a metre, which some firmware expects
 */
export function bmpOf(
  { columns, rows, isLight }: Bitmap,
  from: (x: number, y: number) => readonly [x: number, y: number],
  perMeter: number,
): Buffer {
  const [width, height] = [columns * SQUARE, rows * SQUARE];
  const file = Buffer.alloc(BMP_HEADER + width * height * 3);
  file.write("BM");
  file.writeUInt32LE(file.length, 2);
  file.writeUInt32LE(BMP_HEADER, 10);
  file.writeUInt32LE(40, 14);
  file.writeInt32LE(width, 18);
  file.writeInt32LE(height, 22);
  file.writeInt16LE(1, 26);
  file.writeInt16LE(24, 28);
  file.writeInt32LE(file.length - BMP_HEADER, 34);
  file.writeInt32LE(perMeter, 38);
  file.writeInt32LE(perMeter, 42);
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) {
      const [atX, atY] = from(x, y);
      const isOn = isLight(Math.floor(atX / SQUARE), Math.floor(atY / SQUARE));
      file.fill(
        isOn ? MOST_BRIGHT : 0,
        BMP_HEADER + (y * width + x) * 3,
        BMP_HEADER + (y * width + x) * 3 + 3,
      );
    }
  return file;
}
