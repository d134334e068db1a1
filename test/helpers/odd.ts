import fc from "fast-check";
import { isLong } from "./long.ts";
import { TEST_SEED } from "./seeded.ts";
import { encode } from "./world.ts";

/** Input of attackers, broken clients and unlucky people. */

/** Holds `property` for `runs` inputs drawn from TEST_SEED, for a third of them in the suite. */
export function holds<T>(
  runs: number,
  inputs: fc.Arbitrary<T>,
  property: (input: T) => Promise<void>,
): Promise<void> {
  const numRuns = isLong ? runs : Math.ceil(runs / 3);
  return fc.assert(fc.asyncProperty(inputs, property), { seed: TEST_SEED, numRuns });
}

const NAMES = ["__proto__", "constructor", "toString", "hasOwnProperty", "(other)", "_", "0"];
const loneSurrogates = fc
  .array(fc.integer({ min: 0xd800, max: 0xdfff }), { minLength: 1, maxLength: 5 })
  .map((units) => String.fromCharCode(...units));
const wide = fc
  .tuple(
    fc.constantFrom("a", "ü", "語", "😀", "\u0000", "\ud800"),
    fc.integer({ min: 100, max: 400 }),
  )
  .map(([character, times]) => character.repeat(times));

export const text = fc.oneof(
  { weight: 4, arbitrary: fc.string({ unit: "binary", maxLength: 20 }) },
  { weight: 2, arbitrary: fc.string({ maxLength: 20 }) },
  fc.constantFrom(...NAMES, "", "/", "//", "\u0000", " ", "<script>", "a,b,,a", "1.2.3", "1"),
  loneSurrogates,
  wide,
);

export const json = fc.oneof(
  text,
  fc.jsonValue({ maxDepth: 3, stringUnit: "binary" }),
  fc
    .integer({ min: 1, max: 200 })
    .map(nested)
    .map((each): unknown => JSON.parse(each)),
);

/** An object with some of `keys`, and sometimes with keys nobody knows, of text or of anything. */
export function object(keys: readonly string[]): fc.Arbitrary<Record<string, unknown>> {
  const key = fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom(...keys) },
    fc.constantFrom(...NAMES),
    text,
  );
  return fc
    .array(fc.tuple(key, fc.oneof({ weight: 3, arbitrary: text }, json)), { maxLength: 12 })
    .map((entries) => Object.fromEntries(entries));
}

export const bytes = fc.uint8Array({ maxLength: 200 });

/** Values of `v`: a payload, bytes, or characters, not escaped for the query. */
export function v(payloads: fc.Arbitrary<unknown>): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 3, arbitrary: payloads.map(encode) },
    bytes.map((some) => Buffer.from(some).toString("base64")),
    payloads.map((payload) => btoa(escape(JSON.stringify(payload)))),
    payloads.map(encode).map((whole) => whole.slice(0, whole.length >> 1)),
    fc.integer({ min: 1, max: 20_000 }).map(nested).map(btoa),
    characters("abcXYZ019+/=-_~*", 40),
  );
}

function nested(depth: number): string {
  return "[".repeat(depth) + "]".repeat(depth);
}

/** A query as it is on the wire: undecodable escapes, repeated and list keys, anything but spaces. */
export const query = fc
  .array(
    fc.oneof(
      { weight: 3, arbitrary: characters("sv0=&%+;[]/?:@!$'()*,-._~", 20) },
      fc.constantFrom("s=blog", "site=blog", "s[]=a", "s=a&s=b", "v=%zz", "%", "%ff=%ff", "&&=&="),
      fc
        .tuple(
          fc.constantFrom("s", "site", "v", "day", "from", "to", "sv", "cross", "cursor"),
          text,
        )
        .map(([key, value]) => `${key}=${encodeURIComponent(value.toWellFormed())}`),
      fc
        .tuple(fc.constantFrom("days", "label", "color", "labelColor", "total", "totalColor"), text)
        .map(([key, value]) => `${key}=${encodeURIComponent(value.toWellFormed())}`),
    ),
    { maxLength: 6 },
  )
  .map((parts) => parts.join("&"));

const headerValue = fc
  .array(fc.integer({ min: 0x20, max: 0xff }), { maxLength: 60 })
  .map((codes) => String.fromCharCode(...codes.filter((code) => code !== 0x7f)));
const HEADERS = [
  "user-agent",
  "referer",
  "host",
  "x-forwarded-for",
  "x-forwarded-host",
  "x-forwarded-proto",
  "forwarded",
  "cf-ipcountry",
  "x-vercel-ip-country",
  "x-country-code",
  "cookie",
  "accept-encoding",
  "accept-language",
  "content-type",
  "if-none-match",
  "origin",
];
const LIKELY = [
  "127.0.0.1",
  "::1, 10.0.0.1",
  "blog",
  "https://example.com/a?b",
  "XX",
  "DE",
  "gzip, br;q=0",
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) Firefox/140.0",
];

export const headers: fc.Arbitrary<Record<string, string>> = fc.dictionary(
  fc.constantFrom(...HEADERS),
  fc.oneof(headerValue, fc.constantFrom(...LIKELY)),
  { maxKeys: 5 },
);

function characters(from: string, maxLength: number): fc.Arbitrary<string> {
  return fc.string({ unit: fc.constantFrom(...from), maxLength });
}
