import assert from "node:assert/strict";
import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { DAY_MS } from "../../../appliance/base/calendar.ts";
import type { Issued } from "../../../appliance/links/public/acme/certificate.ts";
import type { PublicSettings } from "../../../appliance/links/public/settings.ts";
import type {
  CaFailureKind,
  Messenger,
  PublicOutcome,
  PublicTask,
} from "../../../appliance/links/public/tasks.ts";
import type { seeded } from "../../helpers/seeded.ts";
import { SimCard, type SimTime } from "../../helpers/simulated.ts";

type Keep = Parameters<Messenger["run"]>[1]["keep"];

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const WEEK_MS = 7 * DAY_MS;
const KEY: KeyObject = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;

/** Faults of the world. */
export interface Trouble {
  ca: CaFailureKind | undefined;
  staging: CaFailureKind | undefined;
  dns: "well" | "later" | "refused";
  router: "well" | "gone" | "refuses" | "conflict" | "cgnat";
  /** Packets from outside are lost on their way. */
  blocked: boolean;
  lookUp: "well" | "unknown";
  window: "none" | "usual" | "now" | "past" | "never";
}

export const WELL: Trouble = {
  ca: undefined,
  staging: undefined,
  dns: "well",
  router: "well",
  blocked: false,
  lookUp: "well",
  window: "usual",
};

/** Router, provider and CA, which count what the box does and know their limits. */
export class SimWorld {
  readonly time: SimTime;
  readonly #draw: ReturnType<typeof seeded>;
  readonly lifeMs: number;
  trouble: Trouble = { ...WELL };
  home = "93.184.215.1";
  name: string | undefined;
  mapping: { until: number } | undefined;
  /** Updates with their true times. */
  readonly updates: { readonly at: number; readonly v4: string | null }[] = [];
  readonly issued: { at: number; name: string }[] = [];
  readonly failures: number[] = [];
  readonly problems: string[] = [];
  readonly #listeners = new Set<() => void>();
  #serial = 0;

  constructor(time: SimTime, draw: ReturnType<typeof seeded>, lifeMs: number) {
    this.time = time;
    this.#draw = draw;
    this.lifeMs = lifeMs;
  }

  messenger(settings: PublicSettings, isAlive: () => boolean): Messenger {
    return {
      provider: "dns.example",
      listen: (heard) => {
        const tell = () => isAlive() && heard();
        this.#listeners.add(tell);
        return () => this.#listeners.delete(tell);
      },
      run: async (task, { keep }) => {
        if (!isAlive()) return new Promise(() => {});
        const outcome = await this.#run(task, settings, keep);
        return isAlive() ? outcome : new Promise(() => {});
      },
    };
  }

  /** The router forgets what it granted, and says that it began anew where it can. */
  restartRouter(): void {
    this.mapping = undefined;
    if (this.trouble.router !== "gone") for (const tell of [...this.#listeners]) tell();
  }

  /** Whether nobody keeps the box from being live for ever. */
  isOpen(settings: PublicSettings): boolean {
    const { router, blocked } = this.trouble;
    const isLed = !settings.openPort || (this.mapping?.until ?? 0) > this.time.at;
    return isLed && !blocked && router !== "cgnat" && this.name === this.home;
  }

  async #run(task: PublicTask, settings: PublicSettings, keep: Keep): Promise<PublicOutcome> {
    const { trouble } = this;
    // The CA comes by in its own time, and counts what fails then.
    if (["test", "order"].includes(task.kind)) await this.#wait(this.#draw.below(30_000));
    switch (task.kind) {
      case "close-port":
        if (trouble.router === "gone") return { kind: "closed", isGone: false };
        this.mapping = undefined;
        return { kind: "closed", isGone: true };
      case "find-address":
        return { kind: "address", address: this.#address() };
      case "open-port":
        return this.#openPort();
      case "tell-dns":
        return this.#tell(task.v4);
      case "look-up": {
        if (trouble.lookUp === "unknown") return { kind: "looked-up", result: "unknown" };
        if (this.name === undefined) return { kind: "looked-up", result: "nothing" };
        const isRight = task.expects === null || task.expects === this.name;
        return { kind: "looked-up", result: isRight ? "right" : "other" };
      }
      case "ask-renewal":
        return this.#window();
      case "test":
        return (
          this.#validate(settings, trouble.staging, settings.directory !== "") ?? {
            kind: "passed",
            by443: true,
          }
        );
      case "order":
        return this.#validate(settings, trouble.ca, true) ?? this.#issue(settings, keep);
    }
  }

  #wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.time.clock(true).after(ms, resolve);
    });
  }

  #address() {
    const { router } = this.trouble;
    if (router === "gone") return { v4: null, standing: "unknown" as const };
    return router === "cgnat"
      ? { v4: "100.64.0.9", standing: "cgnat" as const }
      : { v4: this.home, standing: "public" as const };
  }

  #openPort(): PublicOutcome {
    const { router } = this.trouble;
    if (router === "gone") return { kind: "port", answer: { kind: "no-router" } };
    if (router === "refuses")
      return { kind: "port", answer: { kind: "refused", by: "pcp", why: "not-allowed" } };
    // It leads to somebody else by now.
    if (router === "conflict") this.mapping = undefined;
    if (router === "conflict") return { kind: "port", answer: { kind: "conflict", by: "igd" } };
    // Some routers keep what they granted until somebody takes it back.
    const lifetimeS = this.#draw.random() < 0.5 ? 0 : 7_200;
    const lifeMs = lifetimeS === 0 ? Number.POSITIVE_INFINITY : lifetimeS * 1_000;
    this.mapping = { until: this.time.at + lifeMs };
    const found = this.#address();
    return {
      kind: "port",
      address: found,
      answer: {
        kind: "open",
        mapping: {
          by: "pcp",
          internalPort: 443,
          externalPort: 443,
          lifetimeS,
          ...(found.v4 && { address: found.v4 }),
        },
      },
    };
  }

  #tell(v4: string | null): PublicOutcome {
    if (this.trouble.dns === "refused")
      return { kind: "told", answer: { kind: "refused", why: "auth" } };
    const { at } = this.time;
    const recent = this.updates.filter((one) => one.at > at - 10 * MINUTE_MS + 1);
    const [last] = recent.slice(-1);
    const isSoon = recent.length >= 2 || at - (last?.at ?? 0) < MINUTE_MS - 1;
    if (last !== undefined && (isSoon || last.v4 === v4) && !this.#stepped(at - last.at))
      this.problems.push(`told the provider ${v4} ${at - last.at} ms after ${last.v4}`);
    this.updates.push({ at, v4 });
    if (this.trouble.dns === "later")
      return { kind: "told", answer: { kind: "later", why: "busy" } };
    this.name = v4 ?? this.home;
    return {
      kind: "told",
      answer: { kind: "done", ...(v4 === null && { seen: { v4: this.home } }) },
    };
  }

  #window(): PublicOutcome {
    const { at } = this.time;
    const retryAfterMs = 6 * HOUR_MS;
    const newest = this.issued.at(-1)?.at ?? at;
    switch (this.trouble.window) {
      case "none":
        return { kind: "no-window" };
      case "now":
        return { kind: "window", start: at - HOUR_MS, end: at + HOUR_MS, retryAfterMs };
      case "past":
        return { kind: "window", start: at - 3 * DAY_MS, end: at - 2 * DAY_MS, retryAfterMs: 0 };
      case "never":
        return {
          kind: "window",
          start: at + 4_000 * DAY_MS,
          end: at + 4_001 * DAY_MS,
          retryAfterMs,
        };
      case "usual": {
        const start = newest + (this.lifeMs * 2) / 3;
        return { kind: "window", start, end: start + this.lifeMs / 20, retryAfterMs };
      }
    }
  }

  /** Whether somebody set the box's clock so lately that it cannot count. */
  #stepped(ms: number): boolean {
    return this.time.at - this.time.steppedAt <= ms;
  }

  #validate(
    settings: PublicSettings,
    trouble: CaFailureKind | undefined,
    counts: boolean,
  ): PublicOutcome | undefined {
    const failed = (failure: CaFailureKind, retryAfterMs?: number): PublicOutcome => ({
      kind: "ca",
      failure,
      detail: "simulated",
      retryAfterMs,
    });
    if (trouble !== undefined)
      return failed(trouble, trouble === "limit" ? this.#draw.below(30) * HOUR_MS : 0);
    if (this.isOpen(settings)) return undefined;
    if (counts) {
      const { at } = this.time;
      this.failures.push(at);
      const inHour = this.failures.filter((time) => time > at - HOUR_MS).length;
      if (inHour > 5 && !this.#stepped(HOUR_MS))
        this.problems.push(`${inHour} failed validations in an hour`);
    }
    return failed(this.name === undefined ? "dns" : "connection");
  }

  async #issue({ name, directory }: PublicSettings, keep: Keep): Promise<PublicOutcome> {
    const { at } = this.time;
    this.issued.push({ at, name });
    const inWeek = this.issued.filter((one) => one.name === name && one.at > at - WEEK_MS).length;
    // Let's Encrypt's own limit; other CAs have other ones.
    if (inWeek > (directory === "" ? 5 : 30))
      this.problems.push(`${inWeek} certificates in a week`);
    // The answer is lost on its way: the CA counts what nobody has.
    if (this.#draw.random() < 0.05) return { kind: "ca", failure: "unreachable", detail: "lost" };
    const notAfter = at + this.lifeMs;
    const now = at + this.time.ahead;
    if (at > now + 5 * MINUTE_MS || notAfter <= now)
      return { kind: "ca", failure: "bad-answer", detail: "not valid now" };
    await keep({ chain: `${name} ${this.#serial++}`, key: KEY, notBefore: at, notAfter });
    return { kind: "issued" };
  }
}

/** The files of the public address on the card. */
export class SimDisk extends SimCard {
  issued: Issued | undefined;
  record: string | undefined;

  /** For one run of the service; `power` is false once it was cut. */
  keys(power: { on: boolean }) {
    return {
      chain: () => this.issued,
      saveChain: (issued: Pick<Issued, "chain" | "key">) =>
        this.write(power, () => {
          this.issued = issued as Issued;
        }),
      record: (): unknown => (this.record === undefined ? undefined : JSON.parse(this.record)),
      saveRecord: (value: object) =>
        this.write(power, () => {
          this.record = JSON.stringify(value);
          assert.ok(this.record.length < 16_384, "the record grows");
        }),
    };
  }
}
