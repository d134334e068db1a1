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

export function keepToken(token: string, remember: boolean): void {
  forgetToken();
  const [tab, browser] = stores();
  (remember ? browser : tab)?.setItem(KEY, token);
}

export function forgetToken(): void {
  for (const store of stores()) store.removeItem(KEY);
}

/** A small choice of the owner that outlives the page. */
export function loadChoice(key: string): string | null {
  return stores()[1]?.getItem(`tallydeck.${key}`) ?? null;
}

export function keepChoice(key: string, value: string): void {
  try {
    stores()[1]?.setItem(`tallydeck.${key}`, value);
  } catch {
    // A full store keeps nothing: the choice lasts as long as the page.
  }
}
