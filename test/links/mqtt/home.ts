import { Listener, Mosquitto } from "../../helpers/mosquitto.ts";
import { Owner } from "../../helpers/owner.ts";
import { until } from "../../helpers/until.ts";
import { World } from "../../helpers/world.ts";

/** The document of a device for Home Assistant. */
export interface Document {
  readonly device: {
    readonly identifiers: readonly string[];
    readonly name: string;
    readonly configuration_url?: string;
  };
  readonly origin: { readonly name: string; readonly sw_version: string };
  readonly availability_topic: string;
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

const CONFIG = /^homeassistant\/device\/tallydeck_([0-9a-f]{8})\/config$/;

/** A box at a real broker, and a second client there, as Home Assistant would be. */
class Home {
  readonly broker: Mosquitto;
  readonly ha: Listener;
  readonly world: World;
  readonly owner: Owner;
  /** The box's id at the broker. */
  box = "";

  private constructor(broker: Mosquitto, ha: Listener, world: World) {
    this.broker = broker;
    this.ha = ha;
    this.world = world;
    this.owner = new Owner(world);
  }

  static async open(env: Record<string, string> = {}): Promise<Home> {
    const broker = await Mosquitto.open();
    const ha = await Listener.open(broker);
    const url = `mqtt://127.0.0.1:${broker.port}`;
    const world = new World({ env: { MQTT_URL: url, VIRTUAL_DECK: "mk2", ...env } });
    const home = new Home(broker, ha, world);
    await world.start();
    const found = await ha.nextOf((topic) => CONFIG.test(topic));
    home.box = CONFIG.exec(found.topic)?.[1] ?? "";
    await home.connected();
    return home;
  }

  /** The beginning of our topics. */
  get base(): string {
    return `tallydeck/${this.box}`;
  }

  get config(): string {
    return `homeassistant/device/tallydeck_${this.box}/config`;
  }

  /** Lets time pass until the box is at the broker. */
  async connected(): Promise<void> {
    let isThere = false;
    while (!isThere) {
      isThere = (await this.owner.get("/api/mqtt")).state?.connected === true;
      if (!isThere) this.world.clock.advance(1_000);
    }
    await this.settle();
  }

  /** Lets time pass until it holds. */
  async waitFor(holds: () => boolean): Promise<void> {
    await until(() => {
      if (!holds()) this.world.clock.advance(1_000);
      return holds();
    });
  }

  /** Resolves when each side has taken what the other had sent: the box answers in order. */
  async settle(): Promise<void> {
    const from = this.ha.heard.length;
    await this.ha.say(`${this.base}/deck/settled/nothing/set`, "");
    await this.ha.next(`${this.base}/deck/settled/nothing/result`, undefined, from);
  }

  get document(): Document {
    return JSON.parse(this.ha.last(this.config)?.text ?? "{}");
  }

  async show(channel: string, slot = "k3"): Promise<void> {
    const path = `/api/decks/virtual-mk2/slots/${slot}`;
    await this.owner.ask("PUT", path, { widget: { type: "push", channel } });
  }

  async end(): Promise<void> {
    await this.world.end();
    await this.ha.end();
    await this.broker.end();
  }
}

/** A box at a broker for each test of the suite around it. */
export function eachHome(env: Record<string, string> = {}): () => Home {
  let home: Home | undefined;
  beforeEach(async () => {
    home = await Home.open(env);
  });
  afterEach(() => home?.end());
  return () => home as Home;
}
