import type { Clock } from "../../base/clock.ts";
import type { AskSoon } from "../../base/system/program.ts";
import { MOST_NAME_BYTES } from "../ipc/wifi-rules.ts";
import { SET_UP_ADDRESS, type WifiReason } from "../ipc/wifi-state.ts";
import { type AccessPoint, heardIn } from "./channels.ts";
import type { SystemWifiFiles } from "./files.ts";
import { IwdBus, type IwdObject } from "./iwd-bus.ts";
import type { JoinEnd, JoinRequest, OwnNetwork, Radio, RadioState, Scan } from "./radio.ts";

interface IwdRadioOptions {
  readonly ask: AskSoon;
  readonly files: Pick<SystemWifiFiles, "write" | "own">;
  readonly clock: Pick<Clock, "now" | "monotonic" | "after">;
  /** The IPv4 addresses of an interface. */
  readonly addresses: (name: string) => readonly string[];
  /** Whether a name of the internet can be looked up. */
  readonly hasInternet: () => Promise<boolean>;
  readonly warn: (line: string) => void;
}

interface Device {
  readonly path: string;
  readonly name: string;
  readonly object: IwdObject;
}

/** `silent`: the network was known, and its router did not answer. */
type Failure = WifiReason | "silent";

const LOOK_MS = 500;
/** iwd and its device are there again after a restart, or a change of mode. */
const READY_MS = 20_000;
const SCAN_MS = 10_000;
/** A network is looked for in so many scans. */
const SCANS = 3;
const JOIN_MS = 30_000;
const START_MS = 30_000;
const LEAVE_MS = 10_000;
const ADDRESS_MS = 30_000;
/** The most networks of a scan. */
const MOST_NETWORKS = 200;

/** The radio, by iwd: a station or an access point on the physical interface itself. */
export class IwdRadio implements Radio {
  readonly #options: IwdRadioOptions;
  readonly #bus: IwdBus;

  constructor(options: IwdRadioOptions) {
    this.#options = options;
    this.#bus = new IwdBus(options.ask);
  }

  async scan(signal: AbortSignal): Promise<Scan> {
    const { path } = await this.#station(signal);
    await this.#look(path, signal);
    const networks = (await this.#networks(path)).map(({ network }) => network);
    return { networks, heard: await this.#heard(signal) };
  }

  /** iwd does not tell of channels. The kernel keeps what its scan has heard. */
  async #heard(signal: AbortSignal): Promise<readonly AccessPoint[]> {
    try {
      const own = ["dev", INTERFACE, "scan", "dump"] as const;
      return heardIn(await this.#options.ask("iw", own, { timeoutMs: 5_000, signal }));
    } catch (error) {
      signal.throwIfAborted();
      this.#options.warn(`The channels are not known: ${String(error).split("\n")[0]}`);
      return [];
    }
  }

  async start(own: OwnNetwork, signal: AbortSignal): Promise<void> {
    try {
      await this.#openOrStop(own, signal);
    } catch (error) {
      signal.throwIfAborted();
      this.#options.warn(`The own network did not open: ${String(error).split("\n")[0]}`);
      // A radio that has just failed to join may need another try.
      await this.#openOrStop(own, signal);
    }
  }

  async #openOrStop(own: OwnNetwork, signal: AbortSignal): Promise<void> {
    try {
      await this.#open(own, signal);
    } catch (error) {
      // Neither the mode nor the firewall may stay.
      await this.stop().catch(() => {});
      throw error;
    }
  }

  async #open(own: OwnNetwork, signal: AbortSignal): Promise<void> {
    const { files, ask } = this.#options;
    const { path } = await this.#station(signal);
    files.own(own);
    await this.#bus.set(path, ["Device", "Mode"], "ap");
    await this.#until(signal, ({ object }) => object.AccessPoint !== undefined);
    await ask("nft", ["add", "element", ...SET_UP_LINKS, "{", INTERFACE, "}"], {
      timeoutMs: NFT_MS,
    });
    await this.#bus.call(path, ["AccessPoint", "StartProfile"], ["s", own.name], {
      timeoutMs: START_MS,
      signal,
    });
    await this.#until(signal, ({ object }) => object.AccessPoint?.Started === true);
  }

  async stop(): Promise<void> {
    const { files, ask } = this.#options;
    const device = await this.#device();
    // The firewall stays in front of an own network that does not end: phones may be on it.
    if (device !== undefined && device.object.Device?.Mode !== "station")
      await this.#bus.set(device.path, ["Device", "Mode"], "station");
    files.own(undefined);
    // Its own pages and names end with it.
    await ask("nft", ["flush", "set", ...SET_UP_LINKS], { timeoutMs: NFT_MS });
  }

  async join(wish: JoinRequest | undefined, signal: AbortSignal): Promise<JoinEnd> {
    if (wish === undefined) return this.#joinAs(undefined, signal);
    await this.#leave(wish.ssid, signal);
    const { isCountryNew, undo } = this.#options.files.write(wish);
    let end: JoinEnd | undefined;
    try {
      if (isCountryNew)
        await this.#options.ask("systemctl", ["restart", "iwd.service"], { timeoutMs: 30_000 });
      end = await this.#joinAs(wish, signal);
      return end;
    } finally {
      if (end?.joined !== true) undo();
    }
  }

  async state(): Promise<RadioState> {
    const device = await this.#device();
    if (device === undefined) return { hasRadio: false, isUp: false, phones: 0, isOnline: false };
    const { path, name, object } = device;
    const isUp = object.AccessPoint?.Started === true;
    const phones = isUp ? await this.#phones(path) : 0;
    return { hasRadio: true, isUp, phones, isOnline: !isUp && this.#hasAddress(name) };
  }

  /** Leaves a network of this name, which iwd has, or tries, by another profile: it would call that one joined. */
  async #leave(ssid: string, signal: AbortSignal): Promise<void> {
    const { path, object } = await this.#station(signal);
    const at = object.Station?.ConnectedNetwork;
    if (typeof at !== "string") return;
    const name = (await this.#bus.objects()).get(at)?.Network?.Name;
    if (typeof name !== "string" || Buffer.from(name).toString("hex") !== ssid) return;
    // It may have lost the network meanwhile: what counts is whether it has left.
    await this.#bus.call(path, ["Station", "Disconnect"]).catch(() => {});
    const hasLeft = async () => (await this.#device())?.object.Station?.State === "disconnected";
    if (!(await this.#within(LEAVE_MS, signal, hasLeft)))
      throw new Error("The radio does not leave its network.");
  }

  async #joinAs(wish: JoinRequest | undefined, signal: AbortSignal): Promise<JoinEnd> {
    const { path, name } = await this.#station(signal);
    let reason = await this.#tryToConnect(path, wish, signal);
    // Some radios fail at first, and a join of iwd's own may have been in the way.
    if (reason === "failed" || reason === "silent")
      reason = await this.#tryToConnect(path, wish, signal);
    // iwd knows networks for half a minute after they were heard last.
    if (reason === "silent") return { joined: false, reason: "not-found" };
    if (reason !== undefined) return { joined: false, reason };
    const hasAddress = await this.#within(ADDRESS_MS, signal, async () => this.#hasAddress(name));
    if (!hasAddress) return { joined: false, reason: "no-address" };
    return { joined: true, hasInternet: await this.#options.hasInternet() };
  }

  /** @returns the reason that it is not connected; undefined where it is */
  async #tryToConnect(
    path: string,
    wish: JoinRequest | undefined,
    signal: AbortSignal,
  ): Promise<Failure | undefined> {
    const since = this.#options.clock.now();
    try {
      if (!(await this.#connect(path, wish, signal))) return "not-found";
      await this.#expectJoined(signal);
      return undefined;
    } catch (error) {
      signal.throwIfAborted();
      const reason = await this.#reason(since);
      this.#options.warn(`A network was not joined: ${reason} (${String(error).split("\n")[0]})`);
      return reason;
    }
  }

  /** Waits for the end: iwd says at once that a network was joined which it has begun to try by itself (its `network_connect`). */
  async #expectJoined(signal: AbortSignal): Promise<void> {
    await this.#within(JOIN_MS, signal, async () => !(await this.#isBusy()));
    if ((await this.#device())?.object.Station?.State !== "connected")
      throw new Error("It was not joined after all.");
  }

  /** @returns false where the network is not to be found. Rejects where it does not take the box */
  async #connect(
    path: string,
    wish: JoinRequest | undefined,
    signal: AbortSignal,
  ): Promise<boolean> {
    for (let scan = 0; scan < SCANS; scan += 1) {
      await this.#look(path, signal);
      // iwd may join a known network by itself meanwhile.
      await this.#within(JOIN_MS, signal, async () => !(await this.#isBusy()));
      const seen = await this.#networks(path);
      const at = seen.find(({ network, isKnown }) =>
        wish === undefined
          ? isKnown
          : network.ssid === wish.ssid && network.isOpen === (wish.password === ""),
      );
      if (at?.isConnected) return true;
      if (at === undefined) continue;
      await this.#bus.call(at.path, ["Network", "Connect"], [], { timeoutMs: JOIN_MS, signal });
      return true;
    }
    if (!wish?.isHidden) return false;
    // With its profile there, a scan asks for it by its name; one that has not answered is asked once more.
    const name = Buffer.from(wish.ssid, "hex").toString();
    await this.#bus.call(path, ["Station", "ConnectHiddenNetwork"], ["s", name], {
      timeoutMs: JOIN_MS,
      signal,
    });
    return true;
  }

  /** The device as a station; a failed scan, a restart of iwd or a change of mode may be on its way. */
  async #station(signal: AbortSignal): Promise<Device> {
    const device = await this.#until(signal, () => true);
    if (device.object.Device?.Mode !== "station")
      await this.#bus.set(device.path, ["Device", "Mode"], "station");
    return this.#until(signal, ({ object }) => object.Station !== undefined);
  }

  /** Scans, and waits for the end of it. */
  async #look(path: string, signal: AbortSignal): Promise<void> {
    const isScanning = async () => (await this.#device())?.object.Station?.Scanning === true;
    await this.#within(SCAN_MS, signal, async () => !(await isScanning()));
    // It refuses while it joins, and knows its networks all the same.
    await this.#bus.call(path, ["Station", "Scan"]).catch(() => {});
    await this.#within(SCAN_MS, signal, async () => !(await isScanning()));
  }

  async #isBusy(): Promise<boolean> {
    const state = (await this.#device())?.object.Station?.State;
    return state === "connecting" || state === "disconnecting" || state === "roaming";
  }

  async #networks(station: string) {
    const objects = await this.#bus.objects();
    // iwd calls the network connected already while it tries to join it.
    const hasJoined = objects.get(station)?.Station?.State === "connected";
    const [ordered] = await this.#bus.call(station, ["Station", "GetOrderedNetworks"]);
    const pairs = Array.isArray(ordered) ? (ordered as unknown[]) : [];
    return pairs.slice(0, MOST_NETWORKS).flatMap((pair) => {
      const [path, level] = Array.isArray(pair) ? (pair as unknown[]) : [];
      const about = typeof path === "string" ? objects.get(path)?.Network : undefined;
      const { Name: name, Type: type, KnownNetwork: known, Connected: isConnected } = about ?? {};
      if (typeof path !== "string" || typeof name !== "string" || typeof level !== "number")
        return [];
      const ssid = Buffer.from(name);
      if (ssid.length === 0 || ssid.length > MOST_NAME_BYTES) return [];
      // One password or none is all that the box can give.
      if (type !== "psk" && type !== "open") return [];
      const network = { ssid: ssid.toString("hex"), isOpen: type === "open", signal: level / 100 };
      return [
        {
          path,
          isKnown: known !== undefined,
          isConnected: hasJoined && isConnected === true,
          network,
        },
      ];
    });
  }

  async #phones(path: string): Promise<number> {
    const answer = await this.#bus
      .call(path, ["AccessPointDiagnostic", "GetDiagnostics"])
      .catch(() => []);
    return Array.isArray(answer[0]) ? answer[0].length : 0;
  }

  #hasAddress(name: string): boolean {
    return this.#options
      .addresses(name)
      .some((address) => address !== SET_UP_ADDRESS && !address.startsWith("169.254."));
  }

  /** The reason that iwd told its log alone. */
  async #reason(since: number): Promise<Failure> {
    // The log is written a moment later.
    await this.#pause();
    const seconds = Math.floor(since / 1_000);
    const own = [
      "--unit=iwd.service",
      "--output=cat",
      "--no-pager",
      `--since=@${seconds}`,
    ] as const;
    const log = await this.#options.ask("journalctl", own, { timeoutMs: 10_000 }).catch(() => "");
    const isSilent = SILENT.test(log);
    // The network may have had another station, which refused.
    if (NOT_ACCEPTED.test(isSilent ? log.replaceAll(AFTER_SILENCE, "") : log))
      return "not-accepted";
    return isSilent ? "silent" : "failed";
  }

  async #device(): Promise<Device | undefined> {
    const objects = await this.#bus.objects().catch(() => new Map<string, IwdObject>());
    const found = [...objects].find(([, { Device }]) => Device?.Name === INTERFACE);
    return found && { path: found[0], name: INTERFACE, object: found[1] };
  }

  async #until(signal: AbortSignal, fits: (device: Device) => boolean): Promise<Device> {
    let device: Device | undefined;
    await this.#within(READY_MS, signal, async () => {
      device = await this.#device();
      return device !== undefined && fits(device);
    });
    if (device === undefined || !fits(device)) throw new Error("The radio does not answer.");
    return device;
  }

  /** @returns whether it came true within the time */
  async #within(ms: number, signal: AbortSignal, isTrue: () => Promise<boolean>): Promise<boolean> {
    const { clock } = this.#options;
    const end = clock.monotonic() + ms;
    for (;;) {
      signal.throwIfAborted();
      if (await isTrue()) return true;
      if (clock.monotonic() >= end) return false;
      await this.#pause();
    }
  }

  #pause(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#options.clock.after(LOOK_MS, resolve);
    return promise;
  }
}

const INTERFACE = "wlan0";

/** The firewall's set of interfaces that phones of a set-up network reach. */
const SET_UP_LINKS = ["inet", "tallydeck", "setup_links"] as const;
const NFT_MS = 10_000;

/** The number is the kernel's, of the step that got no answer (`nl80211_timeout_reason`). */
const SILENT = /^event: connect-timeout, reason: \d+$/m;
const AFTER_SILENCE = /^event: connect-failed, status: 1$/gm;

/**
 * Reason 15, a handshake that was not completed, is what a wrong password comes to, and sometimes a weak signal; for WPA3
 * it is the status 1 or 15. Names of networks stand in other lines of iwd's log.
 */
const NOT_ACCEPTED =
  /^(?:event: (?:connect-failed|disconnect-info), (?:reason: (?:2|15)|status: (?:1|15))$|4-Way handshake failed |Received Deauthentication event, reason: (?:2|15),)/m;
