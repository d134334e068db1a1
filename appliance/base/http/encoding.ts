import type { Context } from "koa";

/** The encodings of answers, the best first. */
const ENCODINGS = ["br", "gzip"] as const;
type Encoding = (typeof ENCODINGS)[number];

const MOST_CHARACTERS = 1_000;

/**
 * The encoding of an answer: of those that the asker likes best (RFC 9110, 12.5.3) ours is the first. By their order it would
 * be gzip, which all browsers name before Brotli. Null for none.
 */
export function encodingFor(ctx: Context): Encoding | null {
  const weights = weightsIn(ctx.get("Accept-Encoding").slice(0, MOST_CHARACTERS));
  const weightOf = (name: string) => weights.get(name) ?? weights.get("*") ?? 0;
  const most = Math.max(...ENCODINGS.map(weightOf));
  if (most === 0 || most < (weights.get("identity") ?? 0)) return null;
  return ENCODINGS.find((encoding) => weightOf(encoding) === most) ?? null;
}

function weightsIn(header: string): Map<string, number> {
  const weights = new Map<string, number>();
  for (const part of header.toLowerCase().split(",")) {
    const [name = "", ...parameters] = part.split(";").map((each) => each.trim());
    const q = parameters.find((each) => each.startsWith("q="))?.slice(2) ?? "1";
    weights.set(name, /^(?:0|1)(?:\.\d{0,3})?$/.test(q) ? Math.min(1, Number(q)) : 0);
  }
  return weights;
}
