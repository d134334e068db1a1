/**
 * The storage key of the token: in this browser if the owner wants to stay signed in, otherwise in this tab. Without
 * storage it lasts as long as the page is open.
 */
const KEY = "tallydeck.token";

/** The storage of this tab, and of this browser. */
type StoreName = "sessionStorage" | "localStorage";

/** Uses storage, which may be denied, broken or full; undefined then. */
function trying<T>(name: StoreName, work: (store: Storage) => T): T | undefined {
  try {
    return work(window[name]);
  } catch {
    return undefined;
  }
}

const get = (name: StoreName, key: string) => trying(name, (store) => store.getItem(key)) ?? null;
const remove = (name: StoreName, key: string) => trying(name, (store) => store.removeItem(key));

/** @returns whether it is kept */
function keep(name: StoreName, key: string, value: string): boolean {
  trying(name, (store) => store.setItem(key, value));
  return get(name, key) === value;
}

export function loadToken(): string {
  return get("sessionStorage", KEY) || get("localStorage", KEY) || "";
}

/** @returns false where the browser keeps nothing, so that the owner has to sign in again next time */
export function keepToken(token: string, remember: boolean): boolean {
  forgetToken();
  return keep(remember ? "localStorage" : "sessionStorage", KEY, token);
}

/** Keeps a token for this tab, with precedence over the browser's. */
export function keepForTab(token: string): void {
  keep("sessionStorage", KEY, token);
}

/** Forgets the token of this tab. @returns the browser's token, or an empty text */
export function forgetForTab(): string {
  remove("sessionStorage", KEY);
  return loadToken();
}

export function forgetToken(): void {
  remove("sessionStorage", KEY);
  remove("localStorage", KEY);
}

/** Choices that the browser did not keep. */
const unkept = new Map<string, string>();

/** A small choice of the owner that outlives the page, where the browser keeps it. */
export function loadChoice(key: string): string | null {
  return unkept.get(key) ?? get("localStorage", `tallydeck.${key}`);
}

/** @returns false where it lasts only as long as the page is open */
export function keepChoice(key: string, value: string): boolean {
  const isKept = keep("localStorage", `tallydeck.${key}`, value);
  if (isKept) unkept.delete(key);
  else unkept.set(key, value);
  return isKept;
}
