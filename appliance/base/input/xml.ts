/**
 * The parts of XML that routers and WebDAV servers use. It expands and fetches nothing but the five characters that XML itself escapes, and
 * takes linear time.
 */

/** The most elements of one name, more than any router has. */
const MOST_ELEMENTS = 64;

const ESCAPED: Readonly<Record<string, string>> = {
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&apos;": "'",
  "&amp;": "&",
};

/** @returns false for a document with declarations, which entity bombs need */
export function declaresNothing(xml: string): boolean {
  return !/<!(?:DOCTYPE|ENTITY)/i.test(xml);
}

/** The content of each element of a name, in order; `name` has no prefix. */
export function elements(xml: string, name: string): string[] {
  const found: string[] = [];
  const opening = `<${name}`;
  for (let at = 0; found.length < MOST_ELEMENTS; ) {
    const open = xml.indexOf(opening, at);
    if (open < 0) break;
    at = open + opening.length;
    // Another name that begins alike, or an element that is empty.
    if (!/[\s>]/.test(xml.charAt(at))) continue;
    const begin = xml.indexOf(">", at) + 1;
    const end = xml.indexOf(`</${name}>`, begin);
    if (begin === 0 || end < 0) break;
    found.push(xml.slice(begin, end));
    at = end;
  }
  return found;
}

/** The text of the first element of a name; undefined where there is none. */
export function elementText(xml: string, name: string): string | undefined {
  const [inner] = elements(xml, name);
  return inner && withoutEscapes(inner.trim());
}

export function withoutEscapes(text: string): string {
  return text.replaceAll(/&(?:lt|gt|quot|apos|amp);/g, (escaped) => ESCAPED[escaped] ?? "");
}
