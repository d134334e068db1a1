import assert from "node:assert/strict";
import { setImmediate as turn } from "node:timers/promises";
import { DAY_MS } from "../../../appliance/base/calendar.ts";
import { silentLog } from "../../../appliance/base/log.ts";
import { PublicAddress } from "../../../appliance/links/public/public-address.ts";
import {
  FIRST_PUBLIC_SETTINGS,
  type PublicSettings,
} from "../../../appliance/links/public/settings.ts";
import { lasting } from "../../helpers/long.ts";
import { seeded } from "../../helpers/seeded.ts";
import { eachLife, LIVES, SimTime } from "../../helpers/simulated.ts";
import { SimDisk, SimWorld, type Trouble, WELL } from "./sim-world.ts";

const HOUR_MS = 3_600_000;
/** A name that was ordered for too often is free again after a week, and after a bad day at the CA. */
const LONG_ENOUGH_MS = 9 * DAY_MS;

type Draw = ReturnType<typeof seeded>;

/** A box in a home, for as long as its owner likes, with whatever happens there. */
class Life {
  readonly time = new SimTime();
  readonly disk = new SimDisk();
  readonly draw: Draw;
  readonly world: SimWorld;
  settings: PublicSettings;
  stored: PublicSettings;
  address!: PublicAddress;
  #power = { on: true };
  #clock = this.time.clock(true);
  offSince: number | undefined;
  askableSince = 0;
  goneSince: number | undefined;

  constructor(draw: Draw, settings: Partial<PublicSettings>, lifeDays: number) {
    this.draw = draw;
    this.world = new SimWorld(this.time, draw, lifeDays * DAY_MS);
    this.settings = {
      ...FIRST_PUBLIC_SETTINGS,
      enabled: true,
      name: "tally.example.org",
      agreed: true,
      ddns: "duckdns",
      ddnsToken: "t0",
      ...settings,
    };
    this.stored = this.settings;
  }

  async start(sure = true): Promise<void> {
    const power = { on: true };
    this.#power = power;
    this.#clock = this.time.clock(sure);
    this.address = await PublicAddress.open({
      clock: this.#clock,
      log: silentLog(),
      random: () => this.draw.random(),
      store: {
        load: async () => this.stored,
        save: async (settings) => {
          this.stored = settings;
        },
      },
      declared: undefined,
      keys: this.disk.keys(power),
      messenger: async (settings) => this.world.messenger(settings, () => power.on),
      portAdvice: () => undefined,
      isFor: ({ chain }, name) => chain.startsWith(`${name} `),
      isTunnelled: () => false,
      port: 443,
    });
    await turn();
  }

  /** Without a word to the service. */
  async cutPower(): Promise<void> {
    this.#power.on = false;
    this.disk.isCut = false;
    await this.address.close();
    const isSure = this.draw.random() < 0.5;
    await this.start(isSure);
    if (!isSure) {
      await this.pass(this.draw.below(30) * 60_000);
      this.#clock.becomeSure();
      await turn();
    }
  }

  async change(change: Partial<PublicSettings>): Promise<void> {
    this.settings = { ...this.settings, ...change };
    this.offSince = this.settings.enabled ? undefined : (this.offSince ?? this.time.at);
    await this.address.change(this.settings);
    await turn();
  }

  async pass(ms: number): Promise<void> {
    const end = this.time.at + ms;
    let isGoing = true;
    while (isGoing) {
      while (this.disk.isCut) await this.cutPower();
      isGoing = this.time.next(end);
      await turn();
      this.check();
    }
  }

  check(): void {
    const { world, time, disk, address } = this;
    assert.deepEqual(world.problems, []);
    // Without power nobody is shown anything.
    if (disk.isCut || time.ahead !== 0 || !this.#clock.sure) return;
    const shown = address.certificate;
    const kept = disk.issued;
    if (shown !== undefined)
      assert.ok((kept?.notAfter ?? 0) > time.at, "a certificate is served that has ended");
    if (this.settings.enabled && kept !== undefined && kept.notAfter > time.at)
      assert.equal(shown?.cert, kept.chain, "the certificate is not served");
    const isLeft = world.mapping !== undefined && world.mapping.until > time.at;
    // A router that is not there can take nothing back; after days it is another one.
    if (world.trouble.router !== "gone") this.goneSince = undefined;
    else {
      this.goneSince ??= time.at;
      this.askableSince = time.at;
      if (time.at > this.goneSince + 6 * DAY_MS) world.mapping = undefined;
    }
    if (
      this.offSince !== undefined &&
      time.at > Math.max(this.offSince, this.askableSince) + HOUR_MS
    )
      assert.ok(!isLeft, "the port is open though it is off");
  }
}

async function happen(life: Life): Promise<void> {
  const { draw, world, time } = life;
  const change = (trouble: Partial<Trouble>) => {
    world.trouble = { ...world.trouble, ...trouble };
  };
  const events: readonly [() => unknown, ...(() => unknown)[]] = [
    () => change(WELL),
    () =>
      change({
        ca: draw.pick([
          "unreachable",
          "server",
          "limit",
          "bad-answer",
          "caa",
          "agreement",
          "account",
        ]),
      }),
    () => change({ staging: draw.pick(["unreachable", "server", "limit", "caa"]) }),
    () => change({ dns: draw.pick(["later", "refused"]) }),
    () => change({ router: draw.pick(["gone", "refuses", "conflict", "cgnat"]) }),
    () => change({ blocked: true }),
    () => change({ lookUp: "unknown" }),
    () => change({ window: draw.pick(["none", "usual", "now", "past", "never"]) }),
    () => {
      world.home = `93.184.${draw.below(256)}.${draw.below(256)}`;
    },
    () => world.restartRouter(),
    () => {
      world.mapping = undefined;
    },
    () => life.cutPower(),
    () => {
      life.disk.cut = { writes: 1 + draw.below(6), isAfter: draw.random() < 0.5 };
    },
    () => life.change({ enabled: false }),
    () => life.change({ enabled: true, ddnsToken: `t${draw.below(1_000)}` }),
    () => life.change({ name: draw.pick(["tally.example.org", "other.example.org"]) }),
    () => life.change({ openPort: draw.random() < 0.7 }),
    () => life.address.test().catch(() => {}),
    () => life.address.reached(),
    () => {
      time.step(draw.pick([0, 0, HOUR_MS, -HOUR_MS]));
    },
  ];
  await draw.pick(events)();
}

/** From now on nothing is amiss. */
async function heal(life: Life): Promise<void> {
  life.world.trouble = { ...WELL };
  life.time.step(0);
  life.disk.cut = undefined;
  await life.change({ enabled: true, ddnsToken: `healed ${life.time.at}` });
}

async function live(
  seed: number,
  settings: Partial<PublicSettings>,
  { lifeDays, days }: { lifeDays: number; days: number },
): Promise<void> {
  const draw = seeded(seed);
  const life = new Life(draw, settings, lifeDays);
  await life.start();
  const end = life.time.at + days * DAY_MS;
  while (life.time.at < end) {
    const until = life.time.at + (5 + draw.below(40)) * DAY_MS;
    while (life.time.at < until) {
      await happen(life);
      await life.pass(draw.random() ** 3 * 2 * DAY_MS);
    }
    await heal(life);
    await life.pass(LONG_ENOUGH_MS);
    const { state, steps } = life.address.view();
    assert.ok(
      ["live", "renewing"].includes(state),
      `${state}: ${JSON.stringify({ steps, record: life.disk.record, home: life.world.home, name: life.world.name })}`,
    );
  }
  await life.address.close();
}

describe("a public address over days in which all goes wrong", function () {
  this.timeout(600_000 * LIVES);

  for (const [what, settings, lifeDays, days] of [
    ["a certificate of 90 days", {}, 90, 400],
    ["one of 6 days", {}, 6.7, 150],
    ["another CA, which counts tests, too", { directory: "https://ca.example.org/" }, 45, 150],
    ["one of a day, of such a CA", { directory: "https://ca.example.org/" }, 1, 60],
  ] as const)
    it(`comes back whenever it can, and asks nobody too often: ${what}`, () =>
      eachLife((seed) => live(seed, settings, { lifeDays, days: lasting(days) })));
});
