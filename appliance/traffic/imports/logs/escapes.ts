/** Bytes as servers escape them, `\xC3\xA4`, or another escape of one character. */
const ESCAPES = /(?:\\x[\da-f]{2})+|\\[\s\S]/gi;

/** A value without the escapes of nginx, Apache and HAProxy: `\"`, `\\`, `\]`, `\xC3\xA4`. */
export function unescaped(value: string): string {
  if (!value.includes("\\")) return value;
  return value.replaceAll(ESCAPES, (found) =>
    isBytes(found) ? textOf(found) : /["\\\]]/.test(found[1] ?? "") ? found.slice(1) : found,
  );
}

/** A line of JSON with such bytes, as nginx writes it without `escape=json`, and Apache, as JSON itself would be. */
export function jsonEscaped(line: string): string {
  return line.replaceAll(ESCAPES, (found) => {
    if (isBytes(found)) return JSON.stringify(textOf(found)).slice(1, -1);
    return /["\\/bfnrtu]/.test(found[1] ?? "") ? found : `\\${found}`;
  });
}

function isBytes(found: string): boolean {
  return found.length > 2;
}

function textOf(bytes: string): string {
  return Buffer.from(bytes.replaceAll(/\\x/gi, ""), "hex").toString("utf8");
}
