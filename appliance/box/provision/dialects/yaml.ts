import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Pair,
  parseDocument,
  type Scalar,
} from "yaml";
import { type Findings, NOTHING_RUNS } from "../reading.ts";

/** A value of the file with its position, so that a splice keeps the rest as it is. */
export interface Leaf {
  readonly path: readonly string[];
  readonly label: string;
  /** The text of the value, even for numbers and booleans. */
  readonly value: string;
  readonly line: number;
  readonly range: Cut;
  /** Whether it is an alias (`*name`), without a value here. */
  readonly isAlias: boolean;
}

/** The place of a secret, from and to. */
export type Cut = readonly [number, number];

const NOT_FOLLOWED = "stands for what is written elsewhere (*): write it here itself";

const MOST_LEAVES = 1_000;

/**
 * Reads a YAML text, as far as it is valid.
 * @returns the text without the values at the positions that `read` returns
 */
export function readYaml(
  text: string,
  found: Findings,
  read: (leaves: readonly Leaf[]) => readonly Cut[],
): string {
  // cloud-init's header lines (`#cloud-config`) are comments to YAML. Another schema than failsafe
  // would make the password 0123 the number 123.
  const lines = new LineCounter();
  const document = parseDocument(text, {
    lineCounter: lines,
    schema: "failsafe",
    strict: false,
    uniqueKeys: false,
    logLevel: "silent",
  });
  for (const { message, pos } of document.errors)
    found.ignore(
      `line ${lines.linePos(pos[0]).line}`,
      message.split("\n")[0]?.replace(/ at line.*/, "") ?? "",
    );
  if (document.contents !== null && !isMap(document.contents))
    found.ignore("the file", `is not a list of \`key: value\`; ${NOTHING_RUNS}, so remove it`);
  const leaves: Leaf[] = [];
  for (const leaf of walk(lines, document.contents, [])) {
    if (leaves.length === MOST_LEAVES) {
      found.ignore("the rest", "the file holds too much");
      break;
    }
    if (leaf.isAlias) found.ignore(leaf.label, NOT_FOLLOWED, leaf.line);
    leaves.push(leaf);
  }
  return read(leaves)
    .toSorted((a, b) => b[0] - a[0])
    .reduce(without, text);
}

function without(text: string, [start, end]: Cut): string {
  // A block text's place ends behind its line end.
  const lineEnd = /\r?\n$/.exec(text.slice(start, end))?.[0] ?? "";
  return `${text.slice(0, start)}""${lineEnd}${text.slice(end)}`;
}

/** Every scalar with its path. Aliases are not resolved. */
function* walk(lines: LineCounter, node: unknown, path: readonly string[]): Generator<Leaf> {
  if (path.length > 10) return;
  if (isMap(node) && node.items.length > 0)
    for (const { key, value } of node.items as Pair[])
      yield* walk(lines, value, [...path, isScalar(key) ? textOf(key) : "?"]);
  else if (isSeq(node))
    for (const [index, item] of node.items.entries())
      yield* walk(lines, item, [...path, `${index}`]);
  else if ((isScalar(node) || isMap(node) || isAlias(node)) && path.length > 0) {
    const [start, end] = node.range ?? [0, 0];
    yield {
      path,
      label: path.join("."),
      value: isScalar(node) && !isNull(node) ? textOf(node) : "",
      line: lines.linePos(start).line,
      range: [start, end],
      isAlias: isAlias(node),
    };
  }
}

function isNull({ type, value }: Scalar): boolean {
  return type === "PLAIN" && /^(?:~|null|Null|NULL)$/.test(String(value));
}

function textOf({ type, value }: Scalar): string {
  const text = String(value ?? "");
  return type === "QUOTE_DOUBLE" ? joinedBytes(text) : text;
}

/** Joins bytes: Raspberry Pi Imager escapes UTF-8 byte by byte, `"Caf\xc3\xa9"`, which YAML reads as two characters. */
function joinedBytes(text: string): string {
  if ([...text].some((sign) => sign > "\xff")) return text;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.from(text, "latin1"));
  } catch {
    return text;
  }
}
