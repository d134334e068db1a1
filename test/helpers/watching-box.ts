import { Channels } from "../../appliance/push/channels.ts";
import type { ChannelStore, KeptChannel } from "../../appliance/push/kept-channels.ts";
import { FakeClock } from "./fake-clock.ts";

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const WEEK = 7 * 24 * 60 * MINUTE;

/** What keeps channels, and how often it was told something. */
export class MemoryChannelStore implements ChannelStore {
  readonly kept = new Map<string, KeptChannel>();
  writes = 0;
  isBroken = false;

  list = async () => structuredClone([...this.kept.values()]);

  keep: ChannelStore["keep"] = async ({ save, forget }) => {
    if (this.isBroken) throw new Error("no room");
    this.writes += 1;
    for (const one of save) this.kept.set(one.channel, structuredClone(one));
    for (const channel of forget) this.kept.delete(channel);
  };
}

/** A box that watches its channel `backup`, past the time in which it judges nothing. */
export class WatchingBox {
  clock = new FakeClock();
  readonly store = new MemoryChannelStore();
  /** Each step as `channel from→to`, with a `!` where it is an alarm. */
  steps: string[] = [];
  channels: Channels;

  private constructor() {
    this.channels = new Channels(this.clock);
  }

  static async start(): Promise<WatchingBox> {
    const box = new WatchingBox();
    await box.open();
    box.clock.advance(60 * MINUTE);
    return box;
  }

  /** The machine is off for a while. */
  async restart(
    ms = 0,
    next = new FakeClock(this.clock.now() + ms, { boot: "b2" }),
  ): Promise<void> {
    await this.channels.close();
    this.clock = next;
    await this.open();
  }

  /** What is under way to the store has arrived; gives how often it was told something. */
  async stored(): Promise<number> {
    await new Promise(setImmediate);
    return this.store.writes;
  }

  state(channel = "backup"): string | undefined {
    return this.channels.get(channel)?.state;
  }

  push(more = {}): ReturnType<Channels["set"]> {
    return this.channels.set("backup", { text: "ok", ...more });
  }

  /** What is kept is read as after a start. */
  async open(): Promise<void> {
    const { clock, store } = this;
    this.channels = await Channels.open({ clock, store });
    this.steps = [];
    this.channels.stepped.on(({ channel, from, to, alarm }) =>
      this.steps.push(`${channel} ${from}→${to}${alarm ? "!" : ""}`),
    );
  }
}
