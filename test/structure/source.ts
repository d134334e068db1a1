import { join } from "node:path/posix";

/** An import of a file, from another one or a package. */
export interface Import {
  /** As written: `./a.ts`, `koa`, `node:fs`. */
  readonly specifier: string;
  /** The file it leads to, from the root; undefined for a package. */
  readonly file: string | undefined;
  readonly isTypeOnly: boolean;
  /** It is started or read there, not imported: a worker, a program. */
  readonly isAddress: boolean;
  /** The imported names. */
  readonly taken: readonly Taken[];
  /** It goes on to whoever imports the file, under the names that it has there. */
  readonly isPassedOn: boolean;
}

interface Taken {
  /** As the other file has it; "*" is everything, as far as one can tell. */
  readonly name: string;
  readonly as: string;
}

const EVERYTHING: Taken = { name: "*", as: "*" };

const STATEMENT = /^(import|export)\s+(type\s)?([\w\s{},*$]*?)\s*from\s+"([^"]+)"/gm;
const SIDE_EFFECT = /^import\s+"([^"]+)"/gm;
const DYNAMIC =
  /(?:\{([^{}]*)\}\s*=\s*await\s+)?\bimport\(\s*"([^"]+)"\s*\)?(?:\.then\(\(\{([^{}]*)\}\))?/g;
/** As CommonJS: what a package's other build would load is not needed. */
const REQUIRED = /\bcreateRequire\(import\.meta\.url\)(?:\.resolve)?\(\s*"([^"]+)"\s*\)/g;
const RESOLVED = /\bimport\.meta\.resolve\(\s*"([^"]+)"\s*\)/g;
const ADDRESS = /\bnew URL\(\s*"([^"]+\.tsx?)",\s*import\.meta\.url/g;
const BESIDE = /\bjoin\(\s*import\.meta\.dirname,\s*"([^"]+\.tsx?)"/g;

/** @param file where the text stands, from the root with forward slashes */
export function importsOf(file: string, text: string): Import[] {
  const code = withoutComments(text);
  const made = (specifier: string, taken: readonly Taken[] = []): Import => ({
    specifier,
    file: specifier.startsWith(".") ? join(file, "..", specifier) : undefined,
    isTypeOnly: false,
    isAddress: false,
    taken,
    isPassedOn: false,
  });
  const address = (path: string): Import => ({
    ...made(path.startsWith(".") ? path : `./${path}`),
    isAddress: true,
  });
  return [
    ...[...code.matchAll(STATEMENT)].map(([, verb, type, clause = "", specifier = ""]) => ({
      ...made(specifier, takenBy(clause)),
      isTypeOnly: type !== undefined || isAllTypes(clause),
      isPassedOn: verb === "export",
    })),
    ...[...code.matchAll(SIDE_EFFECT)].map(([, specifier = ""]) => made(specifier)),
    ...[...code.matchAll(DYNAMIC)].map(([, before, specifier = "", after]) => {
      const names = (before ?? after)?.replaceAll(":", " as ");
      return made(specifier, names === undefined ? [EVERYTHING] : takenBy(`{${names}}`));
    }),
    ...[REQUIRED, RESOLVED].flatMap((pattern) =>
      [...code.matchAll(pattern)].map(([, specifier = ""]) => made(specifier, [EVERYTHING])),
    ),
    ...[ADDRESS, BESIDE].flatMap((pattern) =>
      [...code.matchAll(pattern)].map(([, path = ""]) => address(path)),
    ),
  ];
}

const IN_QUOTES = '\\(\\s*"[^"]*"\\s*\\)';
/** Ways to another file; what they lead to stands in quotes, or nobody can say. */
const UNCLEAR: readonly (readonly [way: string, RegExp])[] = [
  ["import()", /\bimport\(\s*(?!\s|")/],
  ["import.meta.resolve", new RegExp(`\\bimport\\.meta\\.resolve\\b(?!${IN_QUOTES})`)],
  [
    "createRequire",
    new RegExp(
      `\\bcreateRequire\\b(?!\\(import\\.meta\\.url\\)(?:\\.resolve)?${IN_QUOTES}|\\s*[,}][^;]*\\bfrom\\b)`,
    ),
  ],
];

/** The ways of a text that lead where nobody can say. */
export function unclearIn(text: string): string[] {
  const code = withoutTexts(text);
  return UNCLEAR.filter(([, pattern]) => pattern.test(code)).map(([way]) => way);
}

const CLASS = /^([ \t]*)(?:abstract\s+)?class\s+(\w+)/gm;

/** Classes of a file that it does not give away, and that nothing else in it mentions. */
export function unusedClasses(text: string): string[] {
  const code = withoutTexts(text);
  const given = exportsOf(text);
  return [...code.matchAll(CLASS)].flatMap(({ 0: head, 1: indent = "", 2: name = "", index }) => {
    const body = code.slice(index + head.length);
    const end = /^[^\n]*\{\s*\}/.exec(body)?.[0].length ?? body.indexOf(`\n${indent}}`);
    const others = code.slice(0, index) + body.slice(end);
    return given.includes(name) || new RegExp(`\\b${name}\\b`).test(others) ? [] : [name];
  });
}

const DECLARED =
  /^export\s+(?:default\s+|declare\s+)?(?:abstract\s+)?(?:async\s+)?(?:function\*?|const|let|class|interface|type|enum)\s+(\w+)/gm;
const LISTED = /^export\s+(?:type\s+)?\{([^}]*)\}(\s+from\b)?/gm;

/** The names a file gives away, those it passes on from others included. */
export function exportsOf(text: string): string[] {
  const code = withoutTexts(text);
  return [
    ...declaredIn(text),
    ...[...code.matchAll(LISTED)].flatMap(([, list = ""]) =>
      entriesOf(list).map((entry) => entry.split(/\s+as\s+/).at(-1) ?? entry),
    ),
  ];
}

/** The same without those that it passes on. */
export function declaredIn(text: string): string[] {
  return [...withoutTexts(text).matchAll(DECLARED)].map(([, name = ""]) => name);
}

/** A name that stands at the outermost level of a file. */
export interface Declared {
  readonly name: string;
  readonly isExported: boolean;
  /** The text that its users see: without bodies of functions and private members. */
  readonly shown: string;
}

const STATEMENTS = /^(?:[a-z].*)(?:\n(?:[\s})\]].*|))*/gm;
const NAMED =
  /^(export\s+)?(?:default\s+|declare\s+)?(?:abstract\s+)?(?:async\s+)?(function\*?|const|let|class|interface|type|enum)\s+(\w+)/;

export function declarationsOf(text: string): Declared[] {
  const code = withoutTexts(text);
  const declared = [...code.matchAll(STATEMENTS)].flatMap(([statement]) => {
    const [, isExported, kind = "", name] = NAMED.exec(statement) ?? [];
    if (name === undefined) return [];
    return [{ name, isExported: isExported !== undefined, shown: shownOf(statement, kind) }];
  });
  const listed = [...code.matchAll(LISTED)]
    .filter(([, , from]) => from === undefined)
    .flatMap(([, list = ""]) => takenBy(`{${list}}`))
    .map(({ name, as }) => ({ name: as, isExported: true, shown: name }));
  return [...declared, ...listed];
}

function shownOf(statement: string, kind: string): string {
  if (kind.startsWith("function")) return headOf(statement);
  if (kind === "class") return [headOf(statement), ...membersOf(statement)].join("\n");
  if (kind !== "const" && kind !== "let") return statement;
  return /=>\s*[{(]\n|=>\s*\{/.test(statement) ? (statement.split("=>")[0] ?? "") : statement;
}

/** Up to where what is done begins. */
function headOf(statement: string): string {
  return /^[\s\S]*?\{(?=\n|\s*\}|$)/.exec(statement)?.[0] ?? statement;
}

function membersOf(statement: string): string[] {
  return [
    ...statement.matchAll(/^ {2}(?! |[\w ]*#|private|\}).*(?:\n(?: {4}| {2}[)}\]]).*)*/gm),
  ].map(([member]) => headOf(member));
}

function takenBy(clause: string): Taken[] {
  const list = /\{([^}]*)\}/.exec(clause)?.[1] ?? "";
  const [, all] = /\*(?:\s+as\s+(\w+))?/.exec(clause) ?? [];
  const [whole] = /^\w+/.exec(clause) ?? [];
  return [
    ...(clause.includes("*") ? [{ name: "*", as: all ?? "*" }] : []),
    // The file's default is not told from the rest of it.
    ...(whole === undefined ? [] : [{ name: "*", as: whole }]),
    ...entriesOf(list).map((entry) => {
      const [name = entry, as = name] = entry.split(/\s+as\s+/);
      return { name, as };
    }),
  ];
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

/** Neither texts nor comments: of a template, only what is reckoned in it. */
function withoutTexts(text: string): string {
  return withoutComments(text).replace(
    /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`((?:[^`\\]|\\[\s\S])*)`/g,
    (all, template: string | undefined) =>
      template === undefined
        ? `${all[0]}${all[0]}`
        : `\`${[...template.matchAll(/\$\{[^}]*\}/g)].map(([part]) => part).join("")}\``,
  );
}

/** Removes comments, and no texts that look like one. A text ends with its line. */
function withoutComments(text: string): string {
  return text.replace(
    /("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\[\s\S])*`)|(^|\s)(?:\/\/[^\n]*|\/\*[\s\S]*?\*\/)/g,
    (_, kept: string | undefined, before: string | undefined) => kept ?? before ?? "",
  );
}
