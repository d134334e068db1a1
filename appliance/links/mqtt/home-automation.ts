import {
  type Documents,
  documentKind,
  ONLY,
  objectOf,
  orNull,
  TEXT,
} from "../../base/documents.ts";
import { Signal } from "../../base/signal.ts";
import { Mutex } from "../../base/tasks/mutex.ts";
import { checkSettings } from "./checked.ts";
import type { Announced, Link, LinkOptions } from "./link.ts";
import { type BrokerState, FIRST_SETTINGS, type MqttSettings } from "./settings.ts";

interface KeptMqtt {
  readonly box: string;
  /** Null before anything was set. */
  readonly settings: MqttSettings | null;
  readonly announced: Announced | null;
}

export const MQTT = documentKind<KeptMqtt>(
  "mqtt",
  objectOf({
    box: TEXT,
    settings: orNull({ type: "object" }),
    announced: orNull({ type: "object" }),
  }),
  { bound: { count: 1, bytes: 1_048_576, together: 1_048_576 }, inBackup: "own" },
);

interface HomeAutomationOptions
  extends Omit<
    LinkOptions,
    "connect" | "settings" | "box" | "announced" | "saveAnnounced" | "changed"
  > {
  readonly documents: Documents<KeptMqtt>;
  /** Names the box at its first start. */
  readonly makeId: () => string;
  /** Settings of the configuration, which alone can change them; undefined where it names no broker. */
  readonly declared: MqttSettings | undefined;
}

/** The box in a home automation, off until it is given a broker. */
export class HomeAutomation {
  /** Settings, or how it stands with the broker, are others. */
  readonly changed = new Signal();
  readonly #options: HomeAutomationOptions;
  readonly #mutex = new Mutex();
  #kept: KeptMqtt;
  #settings: MqttSettings;
  #link: Link | undefined;

  private constructor(options: HomeAutomationOptions, kept: KeptMqtt) {
    this.#options = options;
    this.#kept = kept;
    this.#settings = options.declared ?? kept.settings ?? FIRST_SETTINGS;
  }

  /** Begins to try where it is on; does not wait for the broker. */
  static async open(options: HomeAutomationOptions): Promise<HomeAutomation> {
    const [stored] = await options.documents.list();
    const kept = stored?.body ?? { box: options.makeId(), settings: null, announced: null };
    const home = new HomeAutomation(options, kept);
    if (stored === undefined) await home.#keep({});
    await home.#mutex.runExclusive(() => home.#begin());
    return home;
  }

  get box(): string {
    return this.#kept.box;
  }

  get settings(): MqttSettings {
    return this.#settings;
  }

  /** Whether the configuration names the broker. */
  get isDeclared(): boolean {
    return this.#options.declared !== undefined;
  }

  /** The state of the connection to the broker; undefined while it is off. */
  get state(): BrokerState | undefined {
    return this.#link?.state;
  }

  /**
   * Changes the settings. Retained messages that no longer hold are removed from the connected broker.
   * @throws {Refusal} `invalid_field`, and the refusals of the store; then nothing has changed
   */
  async change(given: MqttSettings): Promise<void> {
    const settings = checkSettings(given);
    await this.#mutex.runExclusive(async () => {
      await this.#keep({ settings });
      const before = this.#settings;
      this.#settings = settings;
      const moves = ["url", "prefix", "discovery"] as const;
      await this.#link?.close({
        clear: !settings.enabled || moves.some((field) => settings[field] !== before[field]),
      });
      this.#link = undefined;
      await this.#begin();
      this.changed.emit();
    });
  }

  /** Goes offline. The announcement stays. */
  async close(): Promise<void> {
    await this.#mutex.runExclusive(async () => this.#link?.close({ clear: false }));
  }

  async #begin(): Promise<void> {
    if (!this.#settings.enabled) return;
    const { log } = this.#options;
    // The client takes a tenth of the service's memory, so it is loaded only where MQTT is on.
    const [{ Link }, { connectMqtt }] = await Promise.all([
      import("./link.ts"),
      import("./client.ts"),
    ]);
    this.#link = new Link({
      ...this.#options,
      connect: connectMqtt,
      settings: this.#settings,
      box: this.box,
      announced: this.#kept.announced,
      saveAnnounced: (announced) => {
        this.#keep({ announced }).catch((error: unknown) => log.warn(String(error)));
      },
      changed: () => this.changed.emit(),
    });
    await this.#link.start();
  }

  #keep(change: Partial<KeptMqtt>): Promise<void> {
    this.#kept = { ...this.#kept, ...change };
    return this.#options.documents.change({ put: [{ id: ONLY, body: this.#kept }] });
  }
}
