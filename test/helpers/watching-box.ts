import { Channels } from "../../appliance/deck/push/channels.ts";
import type { KeptChannel } from "../../appliance/deck/push/kept-channels.ts";
import { FakeClock } from "./fake-clock.ts";
import { MemoryDocuments } from "./memory-documents.ts";

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const WEEK = 7 * 24 * 60 * MINUTE;

/** A box that watches its channel `backup`, past the time in which it judges nothing. */
export class WatchingBox {
  clock = new FakeClock();
  readonly documents = new MemoryDocuments<KeptChannel>();
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

  /** Waits for pending writes. @returns the number of writes */
  async stored(): Promise<number> {
    await new Promise(setImmediate);
    return this.documents.changes;
  }

  state(channel = "backup"): string | undefined {
    return this.channels.get(channel)?.state;
  }

  push(more = {}): ReturnType<Channels["set"]> {
    return this.channels.set("backup", { text: "ok", ...more });
  }

  /** Reads the stored data as a start does. */
  async open(): Promise<void> {
    const { clock, documents } = this;
    this.channels = await Channels.open({ clock, documents });
    this.steps = [];
    this.channels.stepped.on(({ channel, from, to, alarm }) =>
      this.steps.push(`${channel} ${from}→${to}${alarm ? "!" : ""}`),
    );
  }
}
