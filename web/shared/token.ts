/**
 * Where the typed-in token is kept: in this browser when the owner wants to stay signed in, else
 * for this tab only. A browser that denies storage keeps it for as long as the page is open.
 */
const KEY = "tallydeck.token";

function stores(): Storage[] {
  try {
    return [window.sessionStorage, window.localStorage];
  } catch {
    return [];
  }
}

export function loadToken(): string {
  for (const store of stores()) {
    const token = store.getItem(KEY);
    if (token) return token;
  }
  return "";
}

/** @returns false where the browser keeps nothing, so that the owner has to sign in again next time */
export function keepToken(token: string, remember: boolean): boolean {
  forgetToken();
  const [tab, browser] = stores();
  return keep(remember ? browser : tab, KEY, token);
}

/** Keeps a token for this tab, before what the browser keeps. */
export function keepForTab(token: string): void {
  keep(stores()[0], KEY, token);
}

/** Forgets what this tab kept. @returns what the browser keeps; empty for nothing */
export function forgetForTab(): string {
  stores()[0]?.removeItem(KEY);
  return loadToken();
}

/** Storage may be denied, full or of no size at all. */
function keep(store: Storage | undefined, key: string, value: string): boolean {
  try {
    store?.setItem(key, value);
    return store !== undefined;
  } catch {
    return false;
  }
}

export function forgetToken(): void {
  for (const store of stores()) store.removeItem(KEY);
}

/** A small choice of the owner that outlives the page. */
export function loadChoice(key: string): string | null {
  return stores()[1]?.getItem(`tallydeck.${key}`) ?? null;
}

export function keepChoice(key: string, value: string): void {
  keep(stores()[1], `tallydeck.${key}`, value);
}
