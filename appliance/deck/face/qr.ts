import { createRequire } from "node:module";

type QrCodes = Pick<typeof import("qrcode"), "create">;
let loaded: QrCodes | undefined;

/** Loads the encoder for the first code, without the drawing parts of the package. */
function codes(): QrCodes {
  loaded ??= createRequire(import.meta.url)("qrcode/lib/core/qrcode.js") as QrCodes;
  return loaded;
}

/** A QR code: `size` modules a side, row by row; true is dark. */
export interface QrCode {
  size: number;
  modules: readonly boolean[];
}

const MAX_CACHED = 16;
const cache = new Map<string, QrCode>();

/** The code of a text, with as much error correction as costs no larger code. */
export function qrCode(text: string): QrCode {
  const known = cache.get(text);
  if (known) return known;
  const low = codes().create(text, { errorCorrectionLevel: "L" }).modules;
  const medium = codes().create(text, { errorCorrectionLevel: "M" }).modules;
  const { size, data } = medium.size === low.size ? medium : low;
  const code = { size, modules: Array.from(data, Boolean) };
  if (cache.size >= MAX_CACHED) cache.clear();
  cache.set(text, code);
  return code;
}
