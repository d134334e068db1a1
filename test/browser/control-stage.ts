import assert from "node:assert/strict";
import type { Locator, Page } from "playwright-core";
import { SystemClock } from "../../appliance/base/system/system-clock.ts";
import type { Disk } from "../../appliance/box/disk/disk.ts";
import { buildWeb, isBuilt } from "../../scripts/build-web.ts";
import { FakeClock } from "../helpers/fake-clock.ts";
import type { FakePublicAddress } from "../helpers/public-address.ts";
import type { FakeUpdates } from "../helpers/updates.ts";
import { type Reply, World } from "../helpers/world.ts";
import { Owner, type OwnerOptions } from "./owner.ts";

interface ControlOptions extends OwnerOptions {
  /** Configuration keys. */
  env?: Record<string, string>;
  publicAddress?: FakePublicAddress;
  updates?: FakeUpdates;
  disk?: Disk;
  /** The box has no battery clock, and goes on from so many milliseconds ago. */
  boardBehindMs?: number;
}

/** A virtual deck with fifteen keys; `mini` has six, and each is a picture to load. */
export const MK2 = "virtual-mk2";

/** Goes to another section first, since one that is there already would go on as it is. */
const GO_TO = `async (query) => {
  const other = new URLSearchParams(query).get("tab") === "push" ? "?tab=start" : "?tab=push";
  for (const address of [other, query]) {
    history.pushState(null, "", "/" + address);
    dispatchEvent(new PopStateEvent("popstate"));
    await new Promise(requestAnimationFrame);
  }
}`;

/** A box with its Web UI open, and the owner who looks at it. */
export class Control {
  readonly world: World;
  readonly owner: Owner;
  /** The first virtual deck, where none is named. */
  readonly deck: string;
  /** A test left the page nobody knows how. */
  isUnsure = false;
  #behindMs: number | undefined;

  static async start({
    env = {},
    boardBehindMs,
    publicAddress,
    updates,
    disk,
    ...options
  }: ControlOptions = {}): Promise<Control> {
    // The page tells by the browser's clock how long ago something was.
    const clock = new FakeClock(Date.now() - (boardBehindMs ?? 0));
    const evidence = { isSet: () => false };
    const world = new World({
      env,
      clock,
      ...(publicAddress && { publicAddress }),
      ...(updates && { updates }),
      ...(disk && { disk }),
      ...(boardBehindMs !== undefined && {
        board: (machine) => new SystemClock({ wait: true, machine, evidence }),
      }),
    });
    await world.start();
    const owner = await Owner.come(world.service.control, {
      viewport: { width: 1200, height: 900 },
      ...options,
    });
    const [model = ""] = (env.VIRTUAL_DECK ?? "").split(",");
    return new Control(world, owner, `virtual-${model}`);
  }

  private constructor(world: World, owner: Owner, deck: string) {
    this.world = world;
    this.owner = owner;
    this.deck = deck;
  }

  async end(): Promise<void> {
    try {
      await this.owner.leave();
    } finally {
      await this.world.end();
    }
  }

  get page(): Page {
    return this.owner.page;
  }

  /** Opens the page and waits until it is there. */
  async open(query = "?tab=deck"): Promise<void> {
    await this.owner.open(`/${query}`);
    await this.page.getByRole("navigation", { name: "Sections" }).waitFor();
  }

  /**
   * Goes to an address like one who uses the menu: the page stays and the section begins anew, for a
   * quarter of the work of loading it. Loads it where that was not done yet, or a test failed before.
   */
  async visit(query = ""): Promise<void> {
    const { page, owner } = this;
    if (this.isUnsure || !page.url().startsWith(owner.origin)) await this.open(query || undefined);
    else {
      owner.asked.length = 0;
      await page.evaluate(`(${GO_TO})(${JSON.stringify(query)})`);
    }
    this.isUnsure = false;
  }

  button(name: string | RegExp): Locator {
    return this.page.getByRole("button", { name, exact: true });
  }

  field(label: string | RegExp): Locator {
    return this.page.getByLabel(label, { exact: true });
  }

  region(name: string): Locator {
    return this.page.getByRole("region", { name, exact: true });
  }

  slot(slot: string): Locator {
    return this.page.locator(`[data-slot="${slot}"]`);
  }

  /** Lets time pass on the box until something is on the page. */
  async passUntil(place: Locator): Promise<void> {
    for (let step = 0; step < 200 && !(await place.isVisible()); step += 1)
      this.world.clock.advance(500);
    await place.waitFor();
  }

  /** Chooses an option that stands beside others. */
  async pick(name: string): Promise<void> {
    await this.page.getByRole("radio", { name, exact: true }).check();
  }

  /** Lets the time pass on the box that has passed for the browser since it was started. */
  catchUp(): void {
    const { clock } = this.world;
    this.#behindMs ??= Date.now() - clock.now();
    const passed = Date.now() - this.#behindMs - clock.now();
    if (passed > 0) clock.advance(passed);
  }

  /** Waits until a text is on the page. */
  async sees(text: string | RegExp): Promise<void> {
    await this.page.getByText(text).first().waitFor();
  }

  /** Waits until the open slot is stored. */
  async saved(): Promise<void> {
    await this.page.getByText("Saved", { exact: true }).waitFor();
  }

  /** The new picture that `task` brings to a slot. The answer of one before may come late. */
  async pictureAfter(slot: string, task: () => Promise<unknown>): Promise<Buffer> {
    const before = this.world.service.decks.picture(this.deck, slot).revision;
    const isNew = (url: string) =>
      url.includes(`/slots/${slot}/image.png`) && Number(/\d+$/.exec(url)?.[0]) > before;
    const [response] = await Promise.all([
      this.page.waitForResponse((answer) => isNew(answer.url())),
      task(),
    ]);
    return response.body();
  }

  widget(slot: string, deck = this.deck): unknown {
    const found = this.world.service.decks.list().find(({ id }) => id === deck);
    return found?.slots.find((known) => known.slot === slot)?.widget;
  }

  /** One request to the control API, as a script on this machine makes it. */
  async ask(method: string, path: string, body?: object): Promise<Reply> {
    const reply = await this.world.askControl(path, {
      method,
      ...(body && { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
    });
    assert.ok(reply.status < 300, reply.text);
    return reply;
  }

  async set(slot: string, widget: object, deck = this.deck): Promise<void> {
    await this.ask("PUT", `/api/decks/${deck}/slots/${slot}`, { widget });
  }

  async push(channel: string, value: object): Promise<void> {
    await this.ask("POST", `/api/push-channels/${channel}`, value);
  }
}

/** A box and its Web UI for each test of the suite around it, as the sources are now. */
export function eachControl(options: ControlOptions | (() => ControlOptions) = {}): () => Control {
  let control: Control | undefined;
  before(async () => {
    if (!isBuilt()) await buildWeb();
  });
  beforeEach(async () => {
    control = await Control.start(typeof options === "function" ? options() : options);
  });
  afterEach(() => control?.end());
  return () => control as Control;
}

/**
 * One box and its Web UI for all tests of the suite around it. Each says what it needs, and has a
 * slot, site or channel of its own where it changes one.
 */
export function sharedControl(
  options: ControlOptions | (() => ControlOptions) = {},
): () => Control {
  let control: Control | undefined;
  before(async () => {
    if (!isBuilt()) await buildWeb();
    control = await Control.start(typeof options === "function" ? options() : options);
  });
  beforeEach(() => control?.catchUp());
  afterEach(async function () {
    const { owner } = control ?? {};
    await owner?.page.unrouteAll({ behavior: "ignoreErrors" });
    if (this.currentTest?.state !== "failed") return owner?.assertUntroubled();
    // Tests after it do not fail of what it left behind.
    owner?.troubles.splice(0);
    if (control !== undefined) control.isUnsure = true;
  });
  after(() => control?.end());
  return () => control as Control;
}

/** The options for a box on a network: who comes has to sign in. */
export const ON_LAN = { BIND: "0.0.0.0" };
