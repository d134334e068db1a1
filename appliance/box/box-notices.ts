import { networkInterfaces } from "node:os";
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import { isLabel } from "../base/names.ts";
import { listenerUrl } from "../base/ports.ts";
import { type Cancel, type Listenable, Signal } from "../base/signal.ts";
import { textOf } from "../base/system/files.ts";
import type {
  Notice,
  NoticeSource,
  PlaceTrouble,
  ResetStanding,
  StorageState,
  UpdateStanding,
} from "../deck/face/notices.ts";
import { TUNNEL } from "./ipc/tunnel.ts";
import { SET_UP_ADDRESS } from "./ipc/wifi-state.ts";
import type { PresenceStanding } from "./presence.ts";
import type { ScreenSource } from "./screen.ts";
import type { SetupCode } from "./setup-code.ts";
import { isSettingUp, type WifiStanding, wifiNotices } from "./wifi-notices.ts";

type PublicStanding = NonNullable<ReturnType<NoticeSource["publicAddress"]>>;

/** The state of a part of the machine, for the board; undefined while there is nothing to say. */
export interface StandingSource<Standing> {
  standing(): Standing | undefined;
  readonly changed: Listenable;
}

export interface Network {
  /** IPv4 addresses by which others reach this machine. @throws {Error} when the system cannot list them */
  addresses(): readonly string[];
  /** The name by which the own network finds this machine, like `tallydeck.local`; undefined without. */
  name(): string | undefined;
}

export interface BoardOptions {
  clock: Clock;
  log: Pick<Log, "warn">;
  code: Pick<SetupCode, "shown" | "changed">;
  /** Whether the Web UI needs no sign-in now. */
  isOpen: () => boolean;
  network: Network;
  /** Whether the data waits for the owner to repair it. */
  dataUnusable?: boolean;
  /** The trouble of the storage; undefined while it is well. */
  storage?: () => StorageState | undefined;
  /** Missing in rescue mode. */
  publicAddress?: StandingSource<PublicStanding>;
  /** None where the system is not ours. */
  reset?: StandingSource<ResetStanding> | undefined;
  /** None where nothing updates the system. */
  updates?: StandingSource<UpdateStanding> | undefined;
  /** None where root sets up no Wi-Fi. */
  wifi?: StandingSource<WifiStanding> | undefined;
  /** None where the system is not ours. */
  presence?: StandingSource<PresenceStanding> | undefined;
  /** Words of two or three where there was no good backup for long. */
  backups?: StandingSource<string>;
  places?: StandingSource<PlaceTrouble>;
  /** Writes a time of the day as decks show it, from epoch milliseconds. */
  timeOf: (at: number) => string;
  /** Prints a line to the console of the service. */
  console: (line: string) => void;
}

const LOOK_MS = 5_000;
const PASSING: ReadonlySet<Notice["type"]> = new Set(["storage", "backup", "place", "update"]);

/** The notices that the box shows on its decks and its console. */
export class BoxNotices implements ScreenSource {
  readonly changed = new Signal();
  readonly #options: BoardOptions;
  readonly #subscriptions: Cancel[];
  #bound: { address: string; port: number } | undefined;
  #address: string | undefined;
  #name: string | undefined;
  #onConsole: string | undefined;
  #cancelLook: Cancel = () => {};
  #isBlind = false;
  /** The last reported notices that come without an event. */
  #told = "[]";

  constructor(options: BoardOptions) {
    this.#options = options;
    this.#subscriptions = [
      options.code.changed.on(() => this.#tell()),
      options.clock.becameSure.on(() => this.#tell()),
      ...[
        ...[options.publicAddress, options.updates, options.reset, options.wifi],
        ...[options.backups, options.places, options.presence],
      ].flatMap((source) => (source === undefined ? [] : [source.changed.on(() => this.#tell())])),
    ];
  }

  notices(): Notice[] {
    const { clock, dataUnusable, timeOf, reset, storage, backups, places, updates } = this.#options;
    const wifi = this.wifi();
    // A code for the Web UI is of no use before there is a network, and would be taken for the key of the Wi-Fi.
    const waits = wifi !== undefined && isSettingUp(wifi);
    const code = waits ? undefined : this.#code();
    const standing = reset?.standing();
    const outside = this.publicAddress();
    const isWrong = outside?.state === "wrong" || outside?.state === "warning";
    return [
      // A reset that is done is told until the set-up is.
      ...told(standing?.state === "done" && code === undefined ? undefined : standing, (state) => ({
        type: "reset",
        ...state,
      })),
      ...(this.#bound === undefined ? [{ type: "starting" } as const] : []),
      ...(dataUnusable ? [{ type: "data-unusable" } as const] : []),
      ...(wifi === undefined ? [] : wifiNotices(wifi, this.#address !== undefined, timeOf)),
      ...told(code, (shown) => ({ type: "setup-code", code: shown })),
      ...told(this.presence(), ({ key }) => ({ type: "ssh-key", key })),
      ...(clock.sure || waits ? [] : [{ type: "clock-not-set" } as const]),
      ...told(storage?.(), (state) => ({ type: "storage", state })),
      ...told(isWrong ? outside : undefined, ({ words }) => ({ type: "public-address", words })),
      ...told(backups?.standing(), (words) => ({ type: "backup", words })),
      ...told(places?.standing(), (trouble) => ({ type: "place", ...trouble })),
      ...told(updates?.standing(), (update) => ({ type: "update", ...update })),
    ];
  }

  publicAddress(): ReturnType<NoticeSource["publicAddress"]> {
    return this.#options.publicAddress?.standing();
  }

  presence(): PresenceStanding | undefined {
    return this.#options.presence?.standing();
  }

  wifi(): WifiStanding | undefined {
    return this.#options.wifi?.standing();
  }

  address(): string | undefined {
    return this.#address;
  }

  addressByName(): string | undefined {
    return this.#name === undefined ? undefined : this.#urlAt([this.#name]);
  }

  /** The Web UI answers from now on, at this socket. */
  ready(bound: { address: string; port: number }): void {
    this.#bound = bound;
    this.#look();
    this.#tell();
  }

  close(): void {
    this.#cancelLook();
    for (const cancel of this.#subscriptions) cancel();
  }

  /** The notices that change with the time alone, or without an event. */
  #passing(): string {
    return JSON.stringify(this.notices().filter(({ type }) => PASSING.has(type)));
  }

  #code(): string | undefined {
    // The need for a code is unknown before the service listens.
    return this.#bound === undefined || this.#options.isOpen()
      ? undefined
      : this.#options.code.shown;
  }

  #look(): void {
    const { clock, network } = this.#options;
    const [address, name] = [this.#address, this.#name];
    const addresses = this.#addresses();
    if (addresses !== undefined) this.#address = this.#urlAt(addresses);
    this.#name = network.name();
    if (this.#address !== address || this.#name !== name || this.#passing() !== this.#told)
      this.#tell();
    this.#cancelLook = clock.after(LOOK_MS, () => this.#look());
  }

  /** The Web UI's, with the slash of its page. */
  #urlAt(hosts: readonly string[]): string | undefined {
    const url = this.#bound && listenerUrl(this.#bound, hosts);
    return url && `${url}/`;
  }

  /** Undefined where the system call fails, perhaps for want of file descriptors. */
  #addresses(): readonly string[] | undefined {
    const { log, network } = this.#options;
    try {
      const addresses = network.addresses();
      this.#isBlind = false;
      return addresses;
    } catch (error) {
      const reason = (error as NodeJS.ErrnoException).code ?? String(error);
      if (!this.#isBlind) log.warn({ reason }, "The addresses of this machine cannot be read");
      this.#isBlind = true;
      return undefined;
    }
  }

  #tell(): void {
    const code = this.#code();
    const line = code && `Setup code ${code}: type it at ${this.#address ?? "the Web UI"}`;
    if (line !== undefined && line !== this.#onConsole) this.#options.console(line);
    this.#onConsole = line;
    this.#told = this.#passing();
    this.changed.emit();
  }
}

function told<Standing>(
  standing: Standing | undefined,
  notice: (standing: Standing) => Notice,
): Notice[] {
  return standing === undefined ? [] : [notice(standing)];
}

/** The network of this machine; `nameFile` may hold the name in force. */
export function thisNetwork(nameFile: string): Network {
  return {
    addresses: () =>
      Object.entries(networkInterfaces())
        // No device of the own network reaches the box by its tunnel.
        .flatMap(([name, found = []]) => (name === TUNNEL ? [] : found))
        // The Web UI does not answer on the set-up network.
        .filter(
          ({ family, internal, address }) =>
            family === "IPv4" && !internal && address !== SET_UP_ADDRESS,
        )
        .map(({ address }) => address),
    name: () => {
      const name = textOf(nameFile)?.trim() ?? "";
      return isLabel(name) ? `${name.toLowerCase()}.local` : undefined;
    },
  };
}
