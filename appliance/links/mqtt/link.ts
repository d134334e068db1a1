import type { Clock } from "../../base/clock.ts";
import type { Cancel, Listenable } from "../../base/signal.ts";
import type { Decks } from "../../deck/decks.ts";
import type { Channels } from "../../deck/push/channels.ts";
import { Broker } from "./broker.ts";
import type { Connect, Message } from "./client.ts";
import { Commands } from "./commands.ts";
import { type BoxFacts, deviceDocument, eventOf, platformsOf, withRemoved } from "./discovery.ts";
import type { BrokerState, MqttSettings } from "./settings.ts";
import {
  buttonsOf,
  type PlacesState,
  type SiteFigures,
  shownChannels,
  statesOf,
  watchedChannels,
} from "./states.ts";
import { Throttle } from "./throttle.ts";
import {
  availabilityTopic,
  baseTopic,
  birthTopic,
  commandFilters,
  configTopic,
  deckImage,
  keptFilters,
  keptWith,
  slotEvent,
  treeOf,
} from "./topics.ts";

/** The sites as a home automation knows them. */
export interface SiteSource {
  /** Ids of all sites. */
  list(): readonly string[];
  /** Kinds of alarms that are switched on, like `silence`. */
  alarms(site: string): readonly string[];
  figures(site: string): Promise<SiteFigures | undefined>;
  /** Sites or their figures may be others. */
  readonly changed: Listenable;
}

/** The parts of the box that are published, and that commands may change. */
interface LinkedParts {
  readonly channels: Channels;
  readonly decks: Decks;
  readonly sites: SiteSource;
  /** Others that are fetched from; undefined where there are none. They may be others when `described` says so. */
  readonly places: () => PlacesState | undefined;
  /** The name of the box, and where its Web UI is. */
  readonly describe: () => Pick<BoxFacts, "name" | "version" | "url">;
  readonly described: Listenable;
}

/** The last announcement to Home Assistant, which is removed once it no longer holds. */
export interface Announced {
  readonly prefix: string;
  readonly discovery: string;
  readonly components: Readonly<Record<string, string>>;
}

export interface LinkOptions extends LinkedParts {
  readonly clock: Clock;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly log: { info(line: string): void; warn(line: string): void };
  readonly connect: Connect;
  readonly settings: MqttSettings;
  readonly box: string;
  readonly announced: Announced | null;
  readonly saveAnnounced: (announced: Announced | null) => void;
  /** Called when the state of the connection has changed. */
  readonly changed: () => void;
}

/** Home Assistant writes each state into its history. */
const SITES_EVERY_MS = 10_000;
const IMAGE_EVERY_MS = 15_000;
/** The most bytes of a picture. One may wait for the broker beside the one that is kept. */
const MAX_IMAGE = 400_000;
/** Retained messages come within so long after a subscription. */
const LOOK_MS = 5_000;
/**
 * The most retained topics that are removed in one connection: strangers may have put more there than we ever had.
 */
const MAX_CLEARED = 512;
/** Home Assistant has much to do when it has started. */
const BIRTH_MS = { least: 1_000, most: 5_000 };

/** The box at a broker: its states, its events, and commands for it. */
export class Link {
  readonly #options: LinkOptions;
  readonly #base: string;
  readonly #config: string;
  readonly #commands: Commands;
  readonly #sites: Throttle;
  readonly #images = new Map<string, Throttle>();
  readonly #figures = new Map<string, SiteFigures>();
  /** Topics with a state at the broker. */
  #told = new Set<string>();
  #announced: Announced | null;
  /** The announcement at another place, until it is taken back. */
  #former: Announced | undefined;
  #cleared = 0;
  #broker: Broker | undefined;
  #subscriptions: readonly Cancel[] = [];
  #cancelLook: Cancel = () => {};
  #cancelBirth: Cancel | undefined;
  #isScheduled = false;
  #isOver = false;

  constructor(options: LinkOptions) {
    const { clock, settings, box, announced } = options;
    this.#options = options;
    this.#announced = announced;
    this.#base = baseTopic(settings.prefix, box);
    this.#config = configTopic(settings.discovery, box);
    this.#commands = new Commands({
      ...options,
      base: this.#base,
      others: (message) => this.#hearOther(message),
      answer: (topic, payload) => this.#broker?.tell(topic, payload),
    });
    this.#sites = new Throttle(clock, SITES_EVERY_MS, () => this.#readSites());
  }

  /** Begins to try; resolves before the broker has answered. */
  async start(): Promise<void> {
    const { channels, decks, sites, described, settings, box } = this.#options;
    await this.#readSites();
    if (this.#isOver) return;
    const broker = new Broker({
      ...this.#options,
      to: settings,
      clientId: `tallydeck-${box}`,
      will: { topic: availabilityTopic(this.#base), payload: "offline", retain: true, qos: 1 },
      listenFor: [...commandFilters(this.#base), birthTopic(settings.discovery)],
      needs: [
        { tree: treeOf(this.#base), echo: availabilityTopic(this.#base) },
        { tree: treeOf(settings.discovery), echo: this.#config },
      ],
      connected: () => this.#connected(),
      message: (message, done) => this.#commands.take(message, done),
    });
    this.#broker = broker;
    this.#tellDocument();
    this.#tellStates();
    const refresh = () => this.#schedule();
    this.#subscriptions = [
      channels.changed.on(refresh),
      decks.changed.on(refresh),
      described.on(refresh),
      sites.changed.on(() => this.#sites.ask()),
      // Pictures are painted only while the broker is connected.
      decks.pictureChanged.on(({ deck }) => broker.state.connected && this.#imageOf(deck).ask()),
      decks.gestures.on((gesture) => {
        const { deck, slot, page } = gesture;
        const name = decks.list().find(({ id }) => id === deck)?.pages[page]?.name ?? "";
        broker.tell(slotEvent(this.#base, deck, slot), JSON.stringify(eventOf(gesture, name)));
      }),
    ];
  }

  get state(): BrokerState {
    return this.#broker?.state ?? { connected: false, problem: null };
  }

  /** Says goodbye, and lets the broker forget everything where it is to `clear`. */
  async close({ clear }: { clear: boolean }): Promise<void> {
    this.#isOver = true;
    for (const cancel of this.#subscriptions) cancel();
    for (const image of this.#images.values()) image.close();
    this.#sites.close();
    this.#commands.close();
    this.#cancelLook();
    this.#cancelBirth?.();
    const broker = this.#broker;
    if (broker === undefined) return;
    if (clear) {
      for (const topic of [this.#config, ...broker.topics()]) broker.drop(topic);
      if (broker.state.connected) this.#options.saveAnnounced(null);
    } else broker.keep(availabilityTopic(this.#base), "offline", { isVital: true });
    await broker.close();
  }

  #connected(): void {
    const { clock, decks } = this.#options;
    const broker = this.#broker;
    if (broker === undefined) return;
    this.#tellDocument();
    broker.sendAll([this.#config, availabilityTopic(this.#base)]);
    for (const { id } of decks.list()) this.#imageOf(id).ask();
    const former = this.#former && this.#takeBack(this.#former);
    const kept = [...keptFilters(this.#base), ...(former ?? [])];
    broker.subscribe(kept);
    this.#cleared = 0;
    this.#cancelLook();
    this.#cancelLook = clock.after(LOOK_MS, () => {
      broker.unsubscribe(kept);
      if (broker.state.connected) this.#former = undefined;
    });
  }

  /** Publishes the components to Home Assistant, and removes those of before. */
  #tellDocument(): void {
    const { settings, box, describe, channels, decks, sites, saveAnnounced } = this.#options;
    const { prefix, discovery } = settings;
    const broker = this.#broker;
    if (broker === undefined) return;
    const document = deviceDocument(this.#base, {
      box,
      ...describe(),
      channels: shownChannels(decks),
      watched: watchedChannels(channels),
      sites: sites.list().map((id) => ({ id, alarms: sites.alarms(id) })),
      decks: decks.list().map((deck) => ({ ...deck, buttons: buttonsOf(deck) })),
      hasPlaces: this.#options.places() !== undefined,
    });
    const before = this.#announced;
    const { connected } = broker.state;
    const removed =
      connected && before?.discovery === discovery && withRemoved(document, before.components);
    if (removed) broker.keep(this.#config, JSON.stringify(removed), { isVital: true });
    broker.keep(this.#config, JSON.stringify(document), { isVital: true });
    const now = { prefix, discovery, components: platformsOf(document) };
    if (!connected || JSON.stringify(before) === JSON.stringify(now)) return;
    if (before?.prefix !== prefix || before.discovery !== discovery)
      this.#former = before ?? undefined;
    this.#announced = now;
    saveAnnounced(now);
  }

  /**
   * Removes an announcement at another place, after a change of settings while the broker was away.
   * @returns filters for the retained messages there
   */
  #takeBack({ prefix, discovery }: Announced): string[] {
    const { settings, box } = this.#options;
    if (discovery !== settings.discovery) this.#broker?.drop(configTopic(discovery, box));
    const base = baseTopic(prefix, box);
    return prefix === settings.prefix ? [] : [availabilityTopic(base), ...keptFilters(base)];
  }

  #hearOther({ topic, payload, retain }: Message): void {
    const { settings, box } = this.#options;
    if (topic === birthTopic(settings.discovery)) {
      if (!retain && Buffer.from(payload).equals(ONLINE)) this.#hear();
      return;
    }
    const bases = [this.#base, ...(this.#former ? [baseTopic(this.#former.prefix, box)] : [])];
    const kept = bases.flatMap((base) => keptWith(topic, base));
    const isOwned = this.#broker?.has(topic) ?? true;
    if (isOwned || !retain || payload.length === 0 || this.#cleared + kept.length > MAX_CLEARED)
      return;
    // The topic has no channel or site any more.
    this.#cleared += kept.length;
    for (const each of kept) this.#broker?.drop(each);
  }

  /** Publishes everything again, once, after a start of Home Assistant. */
  #hear(): void {
    const { clock, random } = this.#options;
    const wait = BIRTH_MS.least + random() * (BIRTH_MS.most - BIRTH_MS.least);
    this.#cancelBirth ??= clock.after(wait, () => {
      this.#cancelBirth = undefined;
      this.#broker?.sendAll([this.#config, availabilityTopic(this.#base)]);
    });
  }

  /** Publishes the changes of one turn of the event loop together. */
  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      if (this.#isOver) return;
      this.#tellDocument();
      this.#tellStates();
    });
  }

  #tellStates(): void {
    const { clock, channels, decks } = this.#options;
    const broker = this.#broker;
    if (broker === undefined) return;
    broker.keep(availabilityTopic(this.#base), "online", { isVital: true });
    const states = statesOf(this.#base, {
      channels,
      decks,
      figures: this.#figures,
      places: this.#options.places(),
    });
    for (const [topic, { payload, expiresAt }] of states) {
      const ttl = expiresAt === null ? undefined : Math.max(0, expiresAt - clock.now()) / 1_000;
      broker.keep(topic, payload, { ttl });
    }
    const gone = [...this.#told].filter((topic) => !states.has(topic));
    for (const topic of gone.flatMap((each) => keptWith(each, this.#base))) broker.drop(topic);
    this.#told = new Set(states.keys());
  }

  async #readSites(): Promise<void> {
    const { sites } = this.#options;
    const ids = sites.list();
    for (const id of this.#figures.keys()) if (!ids.includes(id)) this.#figures.delete(id);
    for (const id of ids) {
      // The store reports its errors elsewhere. The last figures stay.
      const figures = await sites.figures(id).catch(() => undefined);
      if (figures !== undefined) this.#figures.set(id, figures);
    }
    this.#schedule();
  }

  #imageOf(deck: string): Throttle {
    const known = this.#images.get(deck);
    if (known) return known;
    const { clock, decks } = this.#options;
    const image = new Throttle(clock, IMAGE_EVERY_MS, async () => {
      const png = decks.image(deck);
      const topic = deckImage(this.#base, deck);
      if (png === undefined || png.length > MAX_IMAGE) this.#broker?.drop(topic);
      else this.#broker?.keep(topic, png);
    });
    this.#images.set(deck, image);
    return image;
  }
}

const ONLINE = Buffer.from("online");
