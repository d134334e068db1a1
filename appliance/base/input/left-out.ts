import { documentKind, objectOf } from "../documents.ts";
import { isHost } from "../names.ts";
import { invalidField } from "../refusal.ts";
import { LEFT_OUT_LIMITS, NOTHING_LEFT_OUT, type StaysOut } from "../text/left-out.ts";
import { storedPattern } from "./goals.ts";
import { exactly } from "./schema.ts";
import { shape } from "./shape.ts";

const { entries, ...LENGTHS } = LEFT_OUT_LIMITS;

const list = (what: string, maxLength: number) => ({
  type: "array",
  maxItems: entries,
  description: `must be a list of at most ${entries} ${what}`,
  items: {
    type: "string",
    minLength: 1,
    maxLength,
    description: `must be a text of 1 to ${maxLength} characters`,
  },
});
const LISTS = {
  hosts: list("hosts", LENGTHS.host),
  paths: list("paths", LENGTHS.path),
  referrers: list("domains", LENGTHS.referrer),
  countries: list("countries", 2),
};

/** The document of what stays out of the counts of a site. */
export const LEFT_OUT = documentKind<StaysOut>("left_out", objectOf(LISTS), {
  of: "site",
  // The bound together is that of memory: each process that counts holds them all.
  bound: { count: 10_000, bytes: 65_536, together: 4 * 1_048_576 },
  full: {
    code: "left_out_limit",
    message: "What stays out of all sites is too long together. Take back what is not needed.",
  },
  inBackup: "kept",
});

const shaped = shape<Partial<StaysOut>>(exactly({}, LISTS));

/** Reads what stays out, as an owner sets it, into the form that is compared. A list that is not given is empty. @throws {Refusal} `invalid_field` */
export function readLeftOut(input: unknown): StaysOut {
  const given = { ...NOTHING_LEFT_OUT, ...shaped(input) };
  return {
    hosts: each(given, "hosts", countedHost, "must be a host like example.org, or *.example.org"),
    paths: each(given, "paths", countedPath, "must be a path like /draft, or begin one: /draft/*"),
    referrers: each(given, "referrers", domain, "must be a domain like spam.example"),
    countries: each(given, "countries", country, "must be a country's two letters, like CH"),
  };
}

/** @param read undefined for what is none */
function each<Name extends keyof StaysOut>(
  given: StaysOut,
  name: Name,
  read: (text: string) => string | undefined,
  rule: string,
): string[] {
  const values = given[name].map((text, place) => {
    const value = read(text.trim());
    if (value === undefined) throw invalidField(`${name}.${place}`, `${rule}.`);
    return value;
  });
  return [...new Set(values)];
}

/** A host that may be given as the address of a page. A host with a star has it instead of its first label, and nowhere else. @returns undefined for none */
export function countedHost(text: string): string | undefined {
  const bare = text.replace(/^[a-z][a-z\d+.-]*:\/\//i, "").replace(/\/$/, "");
  const star = bare.startsWith("*.") ? "*." : "";
  const host = hostOf(bare.slice(star.length));
  return host === undefined || star.length + host.length > LENGTHS.host ? undefined : star + host;
}

/** A host as browsers write it: names of other letters in ASCII. */
function hostOf(text: string): string | undefined {
  const address = `http://${text}`;
  if (/[\s/\\?#@%*]/.test(text) || !URL.canParse(address)) return undefined;
  // A URL has no port that is HTTP's own, and a page by HTTPS has none, either.
  const host = new URL(address).host.replace(/\.(?=(?::\d+)?$)/, "");
  return isHost(host) ? host : undefined;
}

function countedPath(text: string): string | undefined {
  if (!text.startsWith("/") || text === "/*") return undefined;
  return storedPattern(text);
}

function domain(text: string): string | undefined {
  const bare = text.replace(/^[a-z][a-z\d+.-]*:\/\//i, "").replace(/\/$/, "");
  const host = hostOf(bare.replace(/^\*\./, ""))?.replace(/^www\./, "");
  const isDomain = host?.includes(".") && !host.includes(":") && host.length <= LENGTHS.referrer;
  return isDomain ? host : undefined;
}

function country(text: string): string | undefined {
  return /^[a-z]{2}$/i.test(text) ? text.toUpperCase() : undefined;
}
