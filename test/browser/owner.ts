import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type {
  BrowserContext,
  BrowserContextOptions,
  Locator,
  Page,
  Request,
  ViewportSize,
} from "playwright-core";
import { openProfile } from "../helpers/chromium.ts";
import { isDrawn } from "../helpers/long.ts";
import { ADMIN } from "../helpers/world.ts";

export interface OwnerOptions extends BrowserContextOptions {
  /** The name of the box in the address; any name leads to this machine. */
  host?: string;
}

/** The address of all sites, and of one where that is named. */
const OVERVIEW = "/dashboard";

/** The storage of the browser for a site. */
const KEPT = "[{ ...localStorage }, { ...sessionStorage }]";

/** Has the parts of the page drawn in which a text there is left out, and no others: each costs as much as it holds. */
const ALL_IS_DRAWN = `(nodes) => {
  for (const part of nodes.flatMap((node) => [node, ...node.querySelectorAll("*")]))
    for (let around = part; around && !part.checkVisibility({ contentVisibilityAuto: true }); around = around.parentElement)
      if (getComputedStyle(around).contentVisibility === "auto") around.style.contentVisibility = "visible";
}`;

/**
 * Goes to an address of the dashboard by way of another one as back and forward do, and waits on the way until the page has
 * left what it showed.
 */
const GO_TO = `async (way, address) => {
  const go = (to) => {
    history.pushState(null, "", to);
    dispatchEvent(new PopStateEvent("popstate"));
    return new Promise(requestAnimationFrame);
  };
  const shown = document.querySelector("main#content");
  for (await go(way); shown?.isConnected; ) await new Promise(requestAnimationFrame);
  // The way may have led to the same page meanwhile, where the box has one site: that one stays.
  await go(address);
}`;

/** Resolves when nothing has come to the page for some frames: lists come one after the other. */
const AT_REST = `new Promise((resolve) => {
  let frames = 0;
  const coming = new MutationObserver(() => {
    frames = 0;
  });
  coming.observe(document.body, { childList: true, subtree: true });
  const look = () => {
    frames += 1;
    if (frames < 5) return requestAnimationFrame(look);
    coming.disconnect();
    resolve();
  };
  look();
})`;

/** The text a person sees there, once it is there, who scrolls wherever it is. */
export async function seen(place: Locator): Promise<string> {
  await place.waitFor();
  // The browser may leave out texts that are off the screen.
  await place.evaluateAll(ALL_IS_DRAWN);
  return (await place.allInnerTexts()).join("\n");
}

/**
 * Somebody who looks at the pages of a box. Whatever a person would never want to see is noted on
 * the way: a request to another origin, a CSP report, an error on the console.
 */
export class Owner {
  readonly page: Page;
  readonly origin: string;
  /** Paths asked of the collector since the page was opened, with their queries. */
  readonly asked: string[] = [];
  readonly troubles: string[] = [];
  readonly #context: BrowserContext;
  #signedIn: { token: string; kept: unknown; viewport: ViewportSize | null } | undefined;
  /** The path of a page that all have only looked at. */
  #lookedAt: string | undefined;
  /** The number of the last screen that axe could look at. */
  #screen: number | undefined;

  static async come(
    world: { port: number },
    { host = "127.0.0.1", ...options }: OwnerOptions = {},
  ) {
    const context = await openProfile(options);
    return new Owner(context, await context.newPage(), `http://${host}:${world.port}`);
  }

  private constructor(context: BrowserContext, page: Page, origin: string) {
    this.#context = context;
    this.page = page;
    this.origin = origin;
    context.on("request", (request) => this.#note(request));
    page.on("pageerror", (error) => this.troubles.push(String(error)));
    page.on("console", (message) => {
      if (message.type() === "error" || message.type() === "warning") {
        this.troubles.push(message.text());
      }
    });
  }

  #note(request: Request): void {
    const url = new URL(request.url());
    if (["data:", "blob:", "about:"].includes(url.protocol)) return;
    if (url.origin === this.origin) this.asked.push(url.pathname + url.search);
    else this.troubles.push(`asked ${url.origin}`);
  }

  times(path: string): number {
    return this.asked.filter((asked) => asked.split("?")[0] === path).length;
  }

  /** The number of different questions to a path: a visible page asks the same again every few seconds. */
  questions(path: string): number {
    return new Set(this.asked.filter((asked) => asked.split("?")[0] === path)).size;
  }

  async open(path: string): Promise<void> {
    this.#lookedAt = undefined;
    this.asked.length = 0;
    await this.page.goto(`${this.origin}${path}`);
  }

  /**
   * Opens the dashboard and types the token. Who has done so comes back signed in, to a browser that
   * keeps nothing else of the visits since: for half the work of a new one.
   */
  async signIn(path = "/dashboard?site=blog", token = ADMIN): Promise<void> {
    const isBack = this.#signedIn?.token === token && this.page.url().startsWith(this.origin);
    if (isBack && this.#lookedAt === path) {
      this.#lookedAt = undefined;
      return;
    }
    if (isBack) await this.#forgetVisits();
    await this.open(path);
    if (!isBack) {
      await this.page.getByLabel("Token").fill(token);
      await this.page.getByRole("button", { name: "Open dashboard" }).click();
    }
    await this.page.locator("main#content").waitFor();
    if (!isBack) {
      const kept = await this.page.evaluate(KEPT);
      this.#signedIn = { token, kept, viewport: this.page.viewportSize() };
    }
  }

  /**
   * The same for who needs no new document: the page goes to the address by way of the overview, where it forgets what it
   * has asked and what was opened on it, for half the work of loading it. Its scripts stay, and what a test did to them.
   */
  async visit(path = "/dashboard?site=blog"): Promise<void> {
    const here = new URL(this.page.url());
    const isThere = here.origin === this.origin && here.pathname === OVERVIEW;
    if (this.#signedIn === undefined || !isThere || !here.searchParams.has("site"))
      return this.signIn(path);
    const isLookedAt = this.#lookedAt === path;
    this.#lookedAt = undefined;
    if (isLookedAt) return;
    await this.#forgetVisits();
    this.asked.length = 0;
    await this.page.evaluate(`(${GO_TO})("${OVERVIEW}", ${JSON.stringify(path)})`);
    await this.page.locator("main#content").waitFor();
    await this.page.evaluate(AT_REST);
  }

  /** The same for who only looks, and leaves the page as it is: the next one who comes there need not load it. */
  async look(path: string): Promise<void> {
    await this.visit(path);
    this.#lookedAt = path;
  }

  async #forgetVisits(): Promise<void> {
    await this.page.mouse.move(0, 0);
    const { viewport } = this.#signedIn ?? {};
    if (viewport) await this.page.setViewportSize(viewport);
    await this.page.evaluate(`${JSON.stringify(this.#signedIn?.kept)}.forEach((entries, at) => {
      const store = [localStorage, sessionStorage][at];
      store.clear();
      Object.assign(store, entries);
    })`);
  }

  /**
   * Fails when axe finds something people with a disability would stumble over.
   * @param within what is new on a page that was looked at before; all of it unless told
   * @param isLookedAt whether to look; a quarter of the screens somebody comes by unless told, and all of them in a long run
   */
  async assertAccessible(within = "html", isLookedAt = this.#isDrawn()): Promise<void> {
    if (isLookedAt) await this.#assertAxe(within, {});
  }

  /** The same in the light, and what the dark changes of it: the colours. */
  async assertAccessibleInAnyLight(within = "html", isLookedAt = this.#isDrawn()): Promise<void> {
    if (!isLookedAt) return;
    await this.assertAccessible(within, true);
    await this.page.emulateMedia({ colorScheme: "dark" });
    await this.#assertAxe(within, { runOnly: ["color-contrast", "link-in-text-block"] });
    await this.page.emulateMedia({ colorScheme: "light" });
  }

  /** Axe takes longer than the page itself. The screens are numbered from one that goes by the first of them. */
  #isDrawn(): boolean {
    const { pathname, search } = new URL(this.page.url());
    this.#screen ??= [...(pathname + search)].reduce((sum, sign) => sum + sign.charCodeAt(0), 0);
    this.#screen += 1;
    return isDrawn(this.#screen);
  }

  async #assertAxe(within: string, options: object): Promise<void> {
    // The page's own policy lets no script in but its own; the test's way around it is the debugger's.
    if (!(await this.page.evaluate("'axe' in window"))) await this.page.evaluate(axeSource());
    // All that is right would be described as well, at length.
    const rules = { "td-has-header": { enabled: true } };
    const only = { resultTypes: ["violations"], selectors: false, rules, ...options };
    const found = await this.page.evaluate(`
      axe.run(${JSON.stringify(within)}, ${JSON.stringify(only)}).then(({ violations }) =>
        violations.map(({ id, nodes }) =>
          id + ": " + nodes.map(({ html, any }) => html + " " + any.map(({ message }) => message)).join("; ")))`);
    assert.deepEqual(found, []);
  }

  /** Fails when something went wrong on the way that was not expected. */
  assertUntroubled(): void {
    assert.deepEqual(this.troubles.splice(0), []);
  }

  /** Leaves; what went wrong on the way, and was not expected, fails the test. */
  async leave(): Promise<void> {
    await this.#context.close();
    this.assertUntroubled();
  }

  /** Takes out troubles that belong to the test. */
  expectTrouble(pattern: RegExp): void {
    const at = this.troubles.findIndex((text) => pattern.test(text));
    assert.notEqual(at, -1, `nothing like ${pattern} on the console`);
    this.troubles.splice(at, 1);
  }

  /** Takes out all troubles of a kind that belongs to the test; there is one at least. */
  expectTroubles(pattern: RegExp): void {
    do this.expectTrouble(pattern);
    while (this.troubles.some((text) => pattern.test(text)));
  }
}

let knownAxe: string | undefined;

function axeSource(): string {
  knownAxe ??= readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
  return knownAxe;
}
