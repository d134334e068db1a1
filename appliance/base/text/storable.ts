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

/** Whether a value is printable ASCII, as nearly every one is. */
function isClean(value: string): boolean {
  if (value.length > MAX_CHARACTERS) return false;
  for (let i = 0; i < value.length; i++) {
    const code = value.charCodeAt(i);
    if (code < 0x20 || code > 0x7e) return false;
  }
  return true;
}
