import assert from "node:assert/strict";
import {
  createServer,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import type { BrowserContext, Page, Request } from "playwright-core";
import { buildWeb, isBuilt } from "../../scripts/build-web.ts";
import { openProfile, type ProfileOptions } from "../helpers/chromium.ts";
import { World } from "../helpers/world.ts";

/** The path at which the site's own server passes requests on to the collector. */
const PREFIX = "/tally";
/** The size of a new window. */
const WINDOW = { width: 1280, height: 720 };

/** The state of a page. Missing fields stay as they are. */
interface Look {
  /** The body, tag included. */
  html?: string;
  headers?: Record<string, string>;
  /** The name the page is visited by. */
  host?: string;
}

/** The clock of pages: that of this machine, or one that stands where a test has set it. */
type ClockKind = "running" | "set";

/** Profiles that nothing was done to but to visit pages. Each stage has origins of its own, of which they know nothing. */
type Lent = Map<ClockKind, BrowserContext>;

/** A collector, a site whose pages embed its tag, and a browser that visits them. */
class Stage {
  readonly world = new World();
  page!: Page;
  #profile!: BrowserContext;
  /** The kind that the profile may be lent as; undefined for one that somebody has changed. */
  #kind: ClockKind | undefined;
  readonly #lent: Lent;
  #html = "";
  #headers: Record<string, string> = {};
  #pending = new Set<Request>();
  #payloads: Record<string, string>[] = [];
  #errors: Error[] = [];
  readonly #awaited = new Map<string, (reply: ServerResponse) => void>();
  #proxied = Promise.withResolvers<void>();
  readonly #server: Server = createServer((incoming, reply) => this.#answer(incoming, reply));

  /** @param lent the profiles of the stages before */
  constructor(lent: Lent) {
    this.#lent = lent;
  }

  async start(): Promise<void> {
    await this.world.start();
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    await this.#borrow("running");
  }

  async end(): Promise<void> {
    await this.#giveBack();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
    await this.world.end();
    assert.deepEqual(this.#errors, [], "an error reached the page");
  }

  /** Another person: a fresh profile, with a language, a screen or a time zone of its own. */
  async visitor(options: ProfileOptions = {}): Promise<void> {
    await this.#giveBack();
    this.#profile = await openProfile(options);
    await this.newTab();
    this.#listen();
  }

  async #borrow(kind: ClockKind): Promise<void> {
    const lent = this.#lent.get(kind);
    this.#lent.delete(kind);
    if (lent === undefined) await this.visitor();
    else {
      await this.#giveBack();
      this.#profile = lent;
      this.page = lent.pages()[0] ?? (await lent.newPage());
      this.#listen();
    }
    this.#kind = kind;
  }

  /** Lends the profile to the next stage, or closes one that is no longer as new. */
  async #giveBack(): Promise<void> {
    if (this.#profile === undefined) return;
    const [kind, profile] = [this.#kind, this.#profile];
    this.#kind = undefined;
    const [page, ...more] = profile.pages();
    if (kind === undefined || page === undefined) {
      await profile.close();
      return;
    }
    for (const each of ["request", "weberror"] as const) profile.removeAllListeners(each);
    page.removeAllListeners("dialog");
    await Promise.all(more.map((each) => each.close()));
    await page.setViewportSize(WINDOW);
    await page.mouse.move(0, 0);
    this.#lent.set(kind, profile);
  }

  #listen(): void {
    this.#pending.clear();
    this.#profile.on("request", (sent) => {
      if (!sent.url().startsWith(this.collector("/e?"))) return;
      this.#pending.add(sent);
      this.#payloads.push(payloadOf(sent.url()));
    });
    this.#profile.on("weberror", (error) => this.#errors.push(error.error()));
  }

  /** The profile, for who changes it: this visitor is then the last who has it. */
  get profile(): BrowserContext {
    this.#kind = undefined;
    return this.#profile;
  }

  async newTab(): Promise<Page> {
    this.page = await this.#profile.newPage();
    return this.page;
  }

  /** An address of the collector as pages see it: another origin than theirs. */
  collector(path: string): string {
    return `http://collector.example:${this.world.port}${path}`;
  }

  /** An address of the site. */
  url(path = "/", host = "blog.example"): string {
    return `http://${host}:${this.#port}${path}`;
  }

  get #port(): string {
    return `${(this.#server.address() as AddressInfo).port}`;
  }

  /** The script tag; `src` when it is not the collector's own address. */
  tag(attributes = 'data-site="blog"', src = this.collector("/s.js")): string {
    return `<script defer src="${src}" ${attributes}></script>`;
  }

  /** The script tag of a collector behind a path of the site's own domain. */
  proxiedTag(attributes = 'data-site="blog"'): string {
    return this.tag(attributes, `${PREFIX}/s.js`);
  }

  /** Resolves when the collector has answered a beacon by way of the site's own domain. */
  get proxied(): Promise<void> {
    return this.#proxied.promise;
  }

  /** Resolves when a page asks the site's server for `path`, with the reply it waits for. */
  asked(path: string): Promise<ServerResponse> {
    return new Promise((resolve) => this.#awaited.set(path, resolve));
  }

  /** Says what the site's pages are from now on. */
  looks({ html = this.tag(), headers = {} }: Look): void {
    this.#html = `<!doctype html><title>Blog</title>${html}`;
    this.#headers = headers;
  }

  /** Visits a page of the site. */
  async open(path = "/", look: Look = {}): Promise<void> {
    this.looks(look);
    await this.page.goto(this.url(path, look.host));
  }

  async openAt(time: string | number, path = "/", look: Look = {}): Promise<void> {
    await this.at(time);
    await this.open(path, look);
  }

  /** Sets what pages take for the time. */
  async at(time: string | number): Promise<void> {
    if (this.#kind === "running") {
      const isUsed = new URL(this.page.url()).port === this.#port;
      if (isUsed) this.#kind = undefined;
      else await this.#borrow("set");
    }
    await this.#profile.clock.setFixedTime(time);
  }

  /** Waits until all that was sent is answered: then it is stored. */
  async settle(): Promise<void> {
    // Earlier requests of the page are reported before this answer.
    await this.page.evaluate(() => undefined);
    for (const sent of this.#pending) {
      const failure = (await sent.response()) === null ? sent.failure()?.errorText : undefined;
      // A page that is left takes its beacons with it.
      if (failure !== undefined && failure !== "net::ERR_ABORTED")
        throw new Error(`${sent.url()} was not answered: ${failure}`);
    }
    this.#pending.clear();
  }

  /** Payloads of beacons since the last call, in order; those of pages that were left are `readings`. */
  async payloads(): Promise<Record<string, string>[]> {
    await this.settle();
    return this.#payloads.splice(0).filter(({ ev }) => ev !== "end");
  }

  /** Readings of pages that were left since the last call of either: path, seconds and depth. */
  async readings(): Promise<string[]> {
    await this.settle();
    const left = this.#payloads.splice(0).filter(({ ev }) => ev === "end");
    return left.map(({ p, t, k }) => `${p} ${t} ${k}`);
  }

  /** A field of each of them. */
  async said(field: string): Promise<(string | undefined)[]> {
    return (await this.payloads()).map((payload) => payload[field]);
  }

  /** A dimension of today's stats once all is stored: value → count. */
  async counts(dimension: string): Promise<Record<string, number>> {
    await this.settle();
    return (await this.world.stats())[dimension] ?? {};
  }

  /** The counters of today once all is stored. */
  async figures(): Promise<{ pv: number; uv: number; sessions: number; bounce: number }> {
    await this.settle();
    const stats = await this.world.stats();
    const figure = (name: string): number => stats[name]?._ ?? 0;
    return {
      pv: figure("pv"),
      uv: figure("uv"),
      sessions: figure("sessions"),
      bounce: figure("bounce"),
    };
  }

  #answer(incoming: IncomingMessage, reply: ServerResponse): void {
    const path = incoming.url ?? "/";
    const asked = this.#awaited.get(path);
    if (asked) asked(reply);
    else if (path.startsWith(`${PREFIX}/`)) this.#pass(incoming, reply, path.slice(PREFIX.length));
    else if (path.startsWith("/files/"))
      reply.writeHead(200, { "content-disposition": "attachment" }).end("a file");
    else if (incoming.headers.host?.startsWith("elsewhere."))
      reply.writeHead(200, { "content-type": "text/html" }).end("<!doctype html><p>Elsewhere");
    else reply.writeHead(200, { "content-type": "text/html", ...this.#headers }).end(this.#html);
  }

  #pass(incoming: IncomingMessage, reply: ServerResponse, path: string): void {
    const { method, headers } = incoming;
    request({ host: "127.0.0.1", port: this.world.port, path, method, headers }, (answer) => {
      reply.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(reply);
      if (!path.startsWith("/e?")) return;
      this.#proxied.resolve();
      this.#proxied = Promise.withResolvers();
    }).end();
  }
}

function payloadOf(url: string): Record<string, string> {
  const v = new URL(url).searchParams.get("v") ?? "";
  return JSON.parse(decodeURIComponent(Buffer.from(v, "base64").toString()));
}

/** A stage for each test of the suite around it, with the web files as their sources are now. */
export function eachStage(): () => Stage {
  let stage: Stage | undefined;
  const lent: Lent = new Map();
  before(async () => {
    if (!isBuilt()) await buildWeb();
  });
  after(() => Promise.all([...lent.values()].map((profile) => profile.close())));
  beforeEach(async () => {
    stage = new Stage(lent);
    await stage.start();
  });
  afterEach(() => stage?.end());
  return () => stage as Stage;
}
