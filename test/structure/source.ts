import { join } from "node:path/posix";

/** What a file takes from another, or from a package. */
export interface Import {
  /** As written: `./a.ts`, `koa`, `node:fs`. */
  readonly specifier: string;
  /** The file it leads to, from the root; undefined for a package. */
  readonly file: string | undefined;
  readonly isTypeOnly: boolean;
  /** It is started or read there, not imported: a worker, a program. */
  readonly isAddress: boolean;
  /** What is taken by name; "*" is everything, as far as one can tell. */
  readonly names: readonly string[];
}

const STATEMENT = /^(import|export)\s+(type\s)?([^;"'`]*?)\s*from\s+"([^"]+)"/gm;
const SIDE_EFFECT = /^import\s+"([^"]+)"/gm;
const DYNAMIC = /(?:\{([^{}]*)\}\s*=\s*await\s+)?\bimport\(\s*"([^"]+)"/g;
const ADDRESS = /\bnew URL\(\s*"([^"]+\.tsx?)",\s*import\.meta\.url/g;
const BESIDE = /\bjoin\(\s*import\.meta\.dirname,\s*"([^"]+\.tsx?)"/g;

/** @param file where the text stands, from the root with forward slashes */
export function importsOf(file: string, text: string): Import[] {
  const code = withoutComments(text);
  const made = (specifier: string, names: readonly string[], isTypeOnly = false): Import => ({
    specifier,
    file: specifier.startsWith(".") ? join(file, "..", specifier) : undefined,
    isTypeOnly,
    isAddress: false,
    names,
  });
  const address = (path: string): Import => ({
    ...made(path.startsWith(".") ? path : `./${path}`, []),
    isAddress: true,
  });
  return [
    ...[...code.matchAll(STATEMENT)].map(([, , type, clause = "", specifier = ""]) =>
      made(specifier, namesIn(clause), type !== undefined || isAllTypes(clause)),
    ),
    ...[...code.matchAll(SIDE_EFFECT)].map(([, specifier = ""]) => made(specifier, [])),
    ...[...code.matchAll(DYNAMIC)].map(([, names, specifier = ""]) =>
      made(specifier, names === undefined ? ["*"] : namesIn(`{${names.replaceAll(":", " as ")}}`)),
    ),
    ...[...code.matchAll(ADDRESS)].map(([, path = ""]) => address(path)),
    ...[...code.matchAll(BESIDE)].map(([, path = ""]) => address(path)),
  ];
}

const DECLARED =
  /^export\s+(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?(?:function\*?|const|let|class|interface|type|enum)\s+(\w+)/gm;
const LISTED = /^export\s+(?:type\s+)?\{([^}]*)\}/gm;

/** The names a file gives away, those it passes on from others included. */
export function exportsOf(text: string): string[] {
  const code = withoutComments(text);
  return [
    ...declaredIn(text),
    ...[...code.matchAll(LISTED)].flatMap(([, list = ""]) =>
      entriesOf(list).map((entry) => entry.split(/\s+as\s+/).at(-1) ?? entry),
    ),
  ];
}

/** The same without those that it passes on. */
export function declaredIn(text: string): string[] {
  return [...withoutComments(text).matchAll(DECLARED)].map(([, name = ""]) => name);
}

function namesIn(clause: string): string[] {
  const list = /\{([^}]*)\}/.exec(clause)?.[1];
  const whole = clause.includes("*") || /^\w+/.test(clause) ? ["*"] : [];
  return [...whole, ...entriesOf(list ?? "").map((entry) => entry.split(/\s+as\s+/)[0] ?? entry)];
}

function isAllTypes(clause: string): boolean {
  const list = /^\{([^}]*)\}$/.exec(clause.trim())?.[1];
  const entries = list?.split(",").filter((entry) => entry.trim() !== "") ?? [];
  return entries.length > 0 && entries.every((entry) => /^\s*type\s/.test(entry));
}

function entriesOf(list: string): string[] {
  return list
    .split(",")
    .map((entry) => entry.trim().replace(/^type\s+/, ""))
    .filter((entry) => entry !== "");
}

/** What looks like a comment within a text is none; a text ends where its line does. */
function withoutComments(text: string): string {
  return text.replace(
    /("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\[\s\S])*`)|(^|\s)(?:\/\/[^\n]*|\/\*[\s\S]*?\*\/)/g,
    (_, kept: string | undefined, before: string | undefined) => kept ?? before ?? "",
  );
}
