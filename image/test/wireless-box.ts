import type { WifiState } from "../../appliance/box/ipc/wifi-state.ts";
import { FakeMini } from "../../test/helpers/fake-hid-elgato.ts";
import { UsbDeck } from "../../test/virtual-deck/usb-deck.ts";
import type { Card } from "./card.ts";
import { Machine } from "./machine.ts";
import { until } from "./owner.ts";
import {
  asksAtHome,
  layRadios,
  phoneAsks,
  phoneJoins,
  type Router,
  startRouter,
} from "./radios.ts";

/** The fields of the form but its token and its country; the network is in the list, or is typed. */
type Fields = Pick<Router, "name" | "password" | "isHidden">;

const ADDRESS = "ip -br -4 address show dev wlan0 | cat";

/** A box without a cable, with a deck of six keys, and a phone and a router in reach. Radios are made of software. */
export class WirelessBox {
  readonly unit = new FakeMini();
  readonly #card: Card;
  readonly #disk: string;
  #machine!: Machine;
  #deck!: UsbDeck;
  /** The session of its owner. */
  #cookie: string | undefined;

  private constructor(card: Card, disk: string) {
    this.#card = card;
    this.#disk = disk;
  }

  /** @param disk with the radios @param router is there before the box looks for one */
  static async start(card: Card, disk: string, router: Router): Promise<WirelessBox> {
    const box = new WirelessBox(card, disk);
    await box.start(router);
    return box;
  }

  get shell() {
    return this.#machine.shell;
  }

  /** Plugs it in, also once more. */
  async start(router: Router): Promise<void> {
    const { shell } = await this.#powerOn();
    const isActive = (unit: string) =>
      until(`${unit} runs`, async () => {
        const { text } = await shell.run(`systemctl is-active ${unit}`);
        return text === "active";
      });
    await isActive("iwd.service");
    await this.#machine.plugDisk(this.#disk, "radios");
    await layRadios(shell);
    await startRouter(shell, router);
    this.#deck = await UsbDeck.plug(this.unit, this.#machine.usb);
    await shell.run(
      "systemctl start iwd.service && systemctl start --no-block tallydeck-wifi.service",
    );
    // It shows the deck what there is to see.
    await isActive("tallydeck.service");
  }

  async cutPower(): Promise<void> {
    this.#deck.unplug();
    await this.#machine.cutPower();
  }

  says(command: string): Promise<string> {
    return this.shell.says(command);
  }

  async state(): Promise<WifiState> {
    return JSON.parse(await this.says("cat /run/tallydeck-wifi/state.json")) as WifiState;
  }

  when(what: string, fits: (state: WifiState) => boolean): Promise<WifiState> {
    const ask = async () => {
      const now = await this.state();
      return fits(now) ? now : undefined;
    };
    return until(what, ask);
  }

  phase(wanted: WifiState["phase"]): Promise<WifiState> {
    return this.when(`the phase ${wanted}`, ({ phase }) => phase === wanted);
  }

  /** The phone joins the box's own network, as soon as that is open. @returns what the phone was given */
  async letPhoneIn(): Promise<string> {
    const { own } = await this.phase("open");
    return phoneJoins(this.shell, own?.name ?? "", own?.key ?? "");
  }

  /** The phone fills in the form. @returns the page that follows */
  async send({ name, password, isHidden }: Fields): Promise<string> {
    const form = await phoneAsks(this.shell);
    const listed = `psk-${Buffer.from(name).toString("hex")}`;
    const network = form.includes(listed) ? { network: listed } : { network: "other", typed: name };
    const body = new URLSearchParams({
      token: /name="token" value="([^"]+)"/.exec(form)?.[1] ?? "",
      country: "CH",
      password,
      ...network,
      ...(isHidden && { hidden: "1" }),
    });
    return phoneAsks(this.shell, { method: "POST", body: body.toString() });
  }

  /** Asks for another network in the Web UI, from a computer in the home's network. @returns the status of the answer */
  async changeInWebUi(wish: { readonly name: string; readonly password: string }): Promise<number> {
    const code = await until("a setup code on the screen", async () =>
      this.#cookie === undefined
        ? /Setup code (\d{6})/.exec(await this.says("cat /dev/vcs1"))?.[1]
        : "",
    );
    const [address] = /192\.168\.50\.\d+/.exec(await this.says(ADDRESS)) ?? [];
    const { status, cookie } = await asksAtHome(this.shell, `http://${address}:3000`, {
      code,
      cookie: this.#cookie,
      wish: { ...wish, country: "", hidden: false },
    });
    this.#cookie = cookie;
    return status;
  }

  /** Waits for an address of the home's router. */
  async hasAddress(): Promise<void> {
    await until("its address", async () => /192\.168\.50\.\d+/.test(await this.says(ADDRESS)));
  }

  async #powerOn(): Promise<Machine> {
    this.#machine = await Machine.start(this.#card, { network: false });
    return this.#machine;
  }
}
