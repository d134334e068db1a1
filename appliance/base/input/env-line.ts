/** A line of a KEY=VALUE file, as shells and systemd have them: `KEY=value`, `export KEY = "value"`. */
interface EnvLine {
  readonly key: string;
  readonly value: string;
}

/** Whether a line is empty or a comment. */
export function isEnvComment(line: string): boolean {
  return /^\s*(?:#|$)/.test(line);
}

/**
 * A value counts as it stands, `#` and quotes inside included; one pair of quotes around it is
 * dropped, and so are spaces around it.
 * @returns undefined when the line is no KEY=VALUE
 */
export function readEnvLine(line: string): EnvLine | undefined {
  const [, key, value = ""] =
    /^(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*)$/s.exec(line.trim()) ?? [];
  return key === undefined ? undefined : { key, value: unquoted(value) };
}

function unquoted(value: string): string {
  const [, , ...between] = QUOTED.exec(value) ?? [];
  return between.find((text) => text !== undefined) ?? value;
}

/** A text between straight quotes, or the curly ones that editors make of them. */
const QUOTED = /^(?:(["'])(.*)\1|[“”„](.*)[“”]|[‘’‚](.*)[‘’])$/s;
