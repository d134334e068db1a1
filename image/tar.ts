export interface TarFile {
  readonly name: string;
  readonly content: Uint8Array;
}

const BLOCK = 512;

/** A tar in the form `ustar`; without owner and time, so that the same files are the same bytes. */
export function tarOf(files: readonly TarFile[]): Buffer {
  return Buffer.concat([
    ...files.flatMap(({ name, content }) => [
      tarHeader(name, content.length),
      content,
      Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK),
    ]),
    Buffer.alloc(2 * BLOCK),
  ]);
}

/** The block before a regular file of `size` bytes (POSIX, pax, "ustar Interchange Format"). */
export function tarHeader(name: string, size: number): Buffer {
  const header = Buffer.alloc(BLOCK);
  const octal = (value: number, digits: number) => value.toString(8).padStart(digits, "0");
  header.write(name, 0, 100);
  header.write(octal(0o644, 7), 100);
  header.write(octal(0, 7), 108);
  header.write(octal(0, 7), 116);
  header.write(octal(size, 11), 124);
  header.write(octal(0, 11), 136);
  // The sum is taken with its own field as spaces.
  header.write("        0", 148);
  header.write("ustar\x0000", 257);
  const sum = header.reduce((sum, byte) => sum + byte, 0);
  header.write(`${octal(sum, 6)}\0 `, 148);
  return header;
}
