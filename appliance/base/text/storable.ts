const MAX_CHARACTERS = 128;
const CONTROL = /\p{Cc}/gu;

/** A value as it may be stored: 128 characters at most, well-formed, without control characters. */
export function storable(value: unknown): string {
  if (typeof value !== "string") return "";
  if (isClean(value)) return value;
  // The text is cut first, since the rest beyond twice the length cannot matter, and senders may send much of it.
  const text = value
    .replace(CONTROL, "")
    .slice(0, 2 * MAX_CHARACTERS)
    .toWellFormed();
  return Array.from(text).slice(0, MAX_CHARACTERS).join("");
}

/** A path as it is stored, without slashes at its end; the root stays `/`. @param path `storable` */
export function storedPath(path: string): string {
  let end = path.length;
  while (end > 0 && path[end - 1] === "/") end--;
  return path.slice(0, end) || "/";
}

/** The path of a page as it is counted. @param p perhaps with a query, and encoded */
export function pagePath(p: unknown): string {
  // Cut first: an encoded ? or # is part of the name.
  if (typeof p !== "string") return storedPath("");
  const end = p.search(/[?#]/);
  return storedPath(storable(percentDecoded(end < 0 ? p : p.slice(0, end))));
}

/** Decodes a text, unless the result is no UTF-8. A `%` that encodes nothing stays. */
function percentDecoded(text: string): string {
  if (!text.includes("%")) return text;
  try {
    return decodeURIComponent(text.replace(/%(?![\da-f]{2})/gi, "%25"));
  } catch {
    return text;
  }
}

/** Whether a value is printable ASCII, as nearly every one is. */
function isClean(value: string): boolean {
  if (value.length > MAX_CHARACTERS) return false;
  for (let i = 0; i < value.length; i++) {
    const code = value.charCodeAt(i);
    if (code < 0x20 || code > 0x7e) return false;
  }
  return true;
}
