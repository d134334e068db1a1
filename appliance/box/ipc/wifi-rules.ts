/** The most bytes of a network's name. */
export const MOST_NAME_BYTES = 32;

/** Whether a text can be typed as the name of a network. */
export function isNetworkName(text: string): boolean {
  const bytes = bytesOf(text);
  return bytes >= 1 && bytes <= MOST_NAME_BYTES && isTyped(text);
}

/** Whether a text can be the password of a network: WPA's, or a key that was made of it. */
export function isNetworkPassword(text: string): boolean {
  const bytes = bytesOf(text);
  return isMadeKey(text.toLowerCase()) || (bytes >= 8 && bytes <= 63 && isTyped(text));
}

/** A key that was made of a network's password and its name. */
export function isMadeKey(password: string): boolean {
  return /^[0-9a-f]{64}$/.test(password);
}

/** A password as it is kept: a key of it in small letters. */
export function keptPassword(text: string): string {
  return isMadeKey(text.toLowerCase()) ? text.toLowerCase() : text;
}

/** The rule for a password, as the end of “must be …”. */
export const PASSWORD_RULE = "8 to 63 characters, or a key of 64 hexadecimal digits";

function isTyped(text: string): boolean {
  return !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text) && text.isWellFormed();
}

function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}
