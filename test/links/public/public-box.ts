import { generateKeyPairSync } from "node:crypto";
import { DAY_MS } from "../../../appliance/base/calendar.ts";
import { silentLog } from "../../../appliance/base/log.ts";
import { PublicAddress } from "../../../appliance/links/public/public-address.ts";
import { portAdvice } from "../../../appliance/links/public/router/advice.ts";
import {
  FIRST_PUBLIC_SETTINGS,
  type PublicSettings,
} from "../../../appliance/links/public/settings.ts";
import type {
  Messenger,
  PublicOutcome,
  PublicTask,
} from "../../../appliance/links/public/tasks.ts";
import { FakeClock } from "../../helpers/fake-clock.ts";
import { until } from "../../helpers/until.ts";
import { SimDisk } from "./sim-world.ts";

const KEY = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
export const HOME = "93.184.215.1";
export const ON: PublicSettings = {
  ...FIRST_PUBLIC_SETTINGS,
  enabled: true,
  name: "tally.example.org",
  agreed: true,
  ddns: "duckdns",
};

export type Answers = Partial<
  Record<PublicTask["kind"], PublicOutcome | "hangs" | Promise<PublicOutcome> | undefined>
>;

/** A world in which all is well but what is given. */
const WELL: Record<PublicTask["kind"], PublicOutcome> = {
  "close-port": { kind: "closed", isGone: true },
  "find-address": { kind: "address", address: { v4: HOME, standing: "public" } },
  "tell-dns": { kind: "told", answer: { kind: "done" } },
  "look-up": { kind: "looked-up", result: "right" },
  "open-port": {
    kind: "port",
    answer: {
      kind: "open",
      mapping: { by: "pcp", internalPort: 443, externalPort: 443, lifetimeS: 7_200, address: HOME },
    },
  },
  "ask-renewal": { kind: "no-window" },
  test: { kind: "passed", by443: true },
  order: { kind: "issued" },
};

/** A box whose messenger answers as told; what it was sent for stands in `sent`. */
export async function box(
  answers: Answers,
  settings: PublicSettings = ON,
  clock = new FakeClock(),
  isServer = false,
) {
  const sent: PublicTask["kind"][] = [];
  /** Each of `sent` with the time. */
  const sentAt: { kind: PublicTask["kind"]; at: number }[] = [];
  const heard = new Set<() => void>();
  const disk = new SimDisk();
  let stored: PublicSettings | null = settings;
  const messenger: Messenger = {
    provider: "duckdns.org",
    listen(listener) {
      heard.add(listener);
      return () => void heard.delete(listener);
    },
    async run({ kind }, { keep }) {
      sent.push(kind);
      sentAt.push({ kind, at: clock.now() });
      const answer = (await answers[kind]) ?? WELL[kind];
      if (answer === "hangs") return new Promise(() => {});
      if (answer.kind === "issued") {
        const notBefore = clock.now();
        const chain = `${stored?.name} ${sent.length}`;
        await keep({ chain, key: KEY, notBefore, notAfter: notBefore + 90 * DAY_MS });
      }
      return answer;
    },
  };
  const open = () =>
    PublicAddress.open({
      clock,
      log: silentLog(),
      random: () => 0,
      store: {
        load: async () => stored,
        save: async (given) => {
          stored = given;
        },
      },
      declared: undefined,
      keys: disk.keys({ on: true }),
      messenger: async () => messenger,
      portAdvice: (answer) =>
        answer === "open"
          ? undefined
          : portAdvice(answer, { internal: 443, external: 443 }, undefined),
      isFor: ({ chain }, name) => chain.startsWith(`${name} `),
      isTunnelled: () => false,
      isServer,
      port: 443,
    });
  const address = await open();
  const waitsFor = async (state: string) => {
    await until(() => {
      // Time passes for timers.
      if (address.view().state !== state) clock.advance(20_000);
      return address.view().state === state;
    });
    return address.view();
  };
  const routerSpeaks = () => {
    for (const tell of [...heard]) tell();
  };
  return { address, clock, sent, sentAt, disk, heard, routerSpeaks, waitsFor, answers, open };
}
