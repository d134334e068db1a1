import { withoutEscapes } from "../../../base/input/xml.ts";
import { MOST_FILES, type TargetFile } from "./target.ts";

/** The longest name of an element that is read, and the longest text of one. */
const MOST_NAME = 128;
const MOST_TEXT = 8_192;
const LESS = "<".charCodeAt(0);
const SLASH = "/".charCodeAt(0);

/** Parts that begin with `<`, with their ends, and are no elements. */
const PASSED = [
  ["<?", "?>"],
  ["<!--", "-->"],
  ["<![CDATA[", "]]>"],
] as const;

/**
 * The files in the answer to a PROPFIND (RFC 4918, 14.16), without folders; undefined where it is no such answer, declares
 * anything, as entity bombs do, or has too many. Its bytes are walked once: a text and its parts would take ten times as
 * much memory as a server may send.
 */
export function filesIn(xml: Buffer): TargetFile[] | undefined {
  const files: TargetFile[] = [];
  let isList = false;
  let responses = 0;
  let href: string | undefined;
  let length: number | undefined;
  for (let at = xml.indexOf(LESS); at >= 0; at = xml.indexOf(LESS, at)) {
    const [begin, end] = PASSED.find(([sign]) => startsWith(xml, at, sign)) ?? ["<", ">"];
    if (begin === "<" && startsWith(xml, at, "<!")) return undefined;
    const close = xml.indexOf(end, at + begin.length);
    if (close < 0) break;
    const tag = begin === "<" ? xml.subarray(at + 1, close) : undefined;
    at = close + end.length;
    switch (tag && nameOf(tag)) {
      case "multistatus":
        isList = true;
        break;
      case "response":
        [href, length] = [undefined, undefined];
        break;
      case "href":
        href ??= textAt(xml, at);
        break;
      case "getcontentlength":
        // A property that a resource lacks stands in a part of its own, empty.
        length ??= lengthIn(textAt(xml, at));
        break;
      case "/response": {
        responses += 1;
        if (responses > MOST_FILES) return undefined;
        const name = nameIn(href ?? "");
        if (name !== undefined && length !== undefined) files.push({ name, bytes: length });
      }
    }
  }
  return isList ? files : undefined;
}

/** Whether these bytes are there; a text of them for each element would take most of the time. */
function startsWith(xml: Buffer, at: number, sign: string): boolean {
  for (let i = 0; i < sign.length; i++) if (xml[at + i] !== sign.charCodeAt(i)) return false;
  return true;
}

/** The name of an element without its namespace's prefix; it begins with a slash where the element ends. */
function nameOf(tag: Buffer): string {
  const isEnd = tag[0] === SLASH;
  const [name = ""] = tag.toString("latin1", isEnd ? 1 : 0, MOST_NAME).split(/[\s/]/, 1);
  return `${isEnd ? "/" : ""}${name.slice(name.indexOf(":") + 1)}`;
}

/** The text of an element that begins here; undefined where there is anything else in it. */
function textAt(xml: Buffer, at: number): string | undefined {
  const end = xml.indexOf("<", at);
  if (end < 0 || end - at > MOST_TEXT || xml[end + 1] !== SLASH) return undefined;
  return withoutEscapes(xml.toString("utf8", at, end).trim());
}

function lengthIn(text = ""): number | undefined {
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

/** The last part of an address; undefined for a folder's. */
function nameIn(href: string): string | undefined {
  const [path = ""] = href.split(/[?#]/);
  try {
    const name = decodeURIComponent(path.slice(path.lastIndexOf("/") + 1));
    return name === "" ? undefined : name;
  } catch {
    return undefined;
  }
}
