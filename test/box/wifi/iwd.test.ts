import assert from "node:assert/strict";
import type { Clock } from "../../../appliance/base/clock.ts";
import { commandLine } from "../../../appliance/base/system/program.ts";
import { IwdRadio } from "../../../appliance/box/wifi/iwd.ts";
import type { JoinRequest } from "../../../appliance/box/wifi/radio.ts";

const PATH = "/net/connman/iwd/0/3";
const WISH: JoinRequest = {
  ssid: Buffer.from("Home").toString("hex"),
  password: "right password",
  country: "CH",
  isHidden: false,
};
const { signal } = new AbortController();

/** An iwd that answers as busctl prints it, for one device and the networks of a street. */
class FakeIwd {
  mode = "station";
  isStarted = false;
  readonly calls: string[] = [];
  /** A word of a call → the time that it was given. */
  readonly patience = new Map<string, number | undefined>();
  readonly networks = [
    { name: "Home", type: "psk", level: -4_500, known: false },
    { name: "Office", type: "8021x", level: -5_000, known: false },
    { name: 'Café "x"', type: "open", level: -8_000, known: false },
  ];
  log = "";
  /** The station's state, and the name of the network that it has or is about to have. */
  state = "disconnected";
  connected = "";
  /** The password in iwd's profile of Home; undefined: it has none. */
  profile: string | undefined;
  /** The output of iw; undefined: it fails. */
  dump: string | undefined = "";
  joins = true;
  /** Whether what it is connecting to takes it, by the profile from before. */
  completes = false;
  /** Answers that tell that it tries Home by itself, once it has listed its networks; then it is refused. */
  tries = 0;
  /** Whether it does not leave its network. */
  stays = false;
  failures = 0;
  /** Calls that are to open the own network, and fail. */
  closures = 0;
  /** Calls that are to make it a station again, and fail. */
  clings = 0;
  addresses: string[] = [];
  /** Called when a profile was written, which iwd sees. */
  written: () => void = () => {};

  async ask(program: string, args: readonly string[]): Promise<string> {
    if (program === "journalctl") return this.log;
    if (program !== "busctl") {
      this.calls.push([program, ...args].join(" "));
      if (program !== "iw") return "";
      if (this.dump === undefined) throw new Error("command failed: No such device (-19)");
      return this.dump;
    }
    // busctl takes options from among its other words, too, until `--`; getopt takes their beginnings.
    const end = args.includes("--") ? args.indexOf("--") : args.length;
    for (const word of args.slice(0, end))
      if (word.startsWith("-")) assert.match(word, /^--(system|json=|auto-start=|timeout=)/);
    const at = args.indexOf("net.connman.iwd");
    const [path = "", of = "", method = "", ...rest] = args.slice(at + 1);
    if (method === "GetManagedObjects") return reply([this.#objects()]);
    this.calls.push([method, ...rest].join(" "));
    if (args.includes("set-property")) {
      if (rest[1] === "station" && this.clings-- > 0)
        throw new Error("Failed to set property: Connection timed out");
      this.mode = rest[1] ?? "";
      this.isStarted = false;
      return "";
    }
    if (method === "GetOrderedNetworks" && this.tries > 0)
      Object.assign(this, { state: "connecting", connected: "Home" });
    if (method === "GetOrderedNetworks")
      return reply([this.networks.map(({ level }, index) => [`${PATH}/${index}`, level])]);
    if (method === "StartProfile" && this.closures-- > 0)
      throw new Error("Call failed: Connection timed out");
    if (method === "StartProfile") this.isStarted = true;
    if (method === "GetDiagnostics") return reply([[{}, {}]]);
    if (method === "Scan" && this.completes && this.state === "connecting")
      this.state = "connected";
    if (method === "Disconnect") {
      if (this.stays) throw new Error("Call failed: Operation failed");
      Object.assign(this, { state: "disconnected", connected: "", addresses: [] });
    }
    if (method === "Connect" || method === "ConnectHiddenNetwork") {
      const name = this.networks[Number(path.split("/").at(-1))]?.name;
      // iwd reads no profile for a network that it has already, or tries, and says at once that it was joined.
      if (name === this.connected) return "";
      this.failures -= 1;
      const isWrong = name === "Home" && this.profile === "wrong password";
      if (isWrong) this.log = "event: disconnect-info, reason: 15";
      if (!this.joins || this.failures >= 0 || isWrong)
        throw new Error("Call failed: Operation failed");
      Object.assign(this, { state: "connected", connected: name, addresses: ["192.168.1.7"] });
    }
    assert.ok(path.startsWith(PATH) && of.startsWith("net.connman.iwd."));
    return "";
  }

  #objects() {
    if (this.state === "connecting" && this.tries > 0 && --this.tries === 0) {
      Object.assign(this, { state: "disconnected", connected: "" });
      this.log = "event: disconnect-info, reason: 15";
    }
    const s = (data: unknown) => ({ type: "s", data });
    const device = {
      "net.connman.iwd.Device": { Name: s("wlan0"), Mode: s(this.mode) },
      ...(this.mode === "station"
        ? { "net.connman.iwd.Station": this.#station() }
        : { "net.connman.iwd.AccessPoint": { Started: s(this.isStarted) } }),
    };
    const networks = this.networks.map(({ name, type, known }, index) => [
      `${PATH}/${index}`,
      {
        "net.connman.iwd.Network": {
          Name: s(name),
          Type: s(type),
          Connected: s(name === this.connected),
          ...(known && { KnownNetwork: s("/known") }),
        },
      },
    ]);
    return { [PATH]: device, ...Object.fromEntries(networks) };
  }

  #station() {
    const at = this.networks.findIndex(({ name }) => name === this.connected);
    return {
      State: { type: "s", data: this.state },
      Scanning: { type: "b", data: false },
      ...(at >= 0 && { ConnectedNetwork: { type: "o", data: `${PATH}/${at}` } }),
    };
  }
}

function reply(data: unknown): string {
  return `${JSON.stringify({ type: "x", data })}\n`;
}

/** A clock whose timers ring at once. */
function hasty(): Pick<Clock, "now" | "monotonic" | "after"> {
  let now = 0;
  return {
    now: () => now,
    monotonic: () => now,
    after: (ms, task) => {
      now += ms;
      setImmediate(task);
      return () => {};
    },
  };
}

function world(isCountryNew = false) {
  const iwd = new FakeIwd();
  const undone: string[] = [];
  const owns: unknown[] = [];
  const radio = new IwdRadio({
    ask: (program, own, { values, timeoutMs }) => {
      const args = commandLine(own, values);
      iwd.patience.set(args.find((arg) => /^(?:Mode|StartProfile)$/.test(arg)) ?? "", timeoutMs);
      return iwd.ask(program, args);
    },
    files: {
      write: ({ password }) => {
        const before = iwd.profile;
        iwd.profile = password;
        iwd.written();
        return {
          isCountryNew,
          undo: () => {
            undone.push("undo");
            iwd.profile = before;
          },
        };
      },
      own: (own) => void owns.push(own),
    },
    clock: hasty(),
    addresses: () => iwd.addresses,
    hasInternet: async () => true,
    warn: () => {},
  });
  return { iwd, radio, undone, owns };
}

describe("the radio by iwd", () => {
  it("lists networks that one password or none opens", async () => {
    const { radio } = world();
    const names = (await radio.scan(signal)).networks.map(({ ssid, isOpen, signal: level }) => [
      Buffer.from(ssid, "hex").toString(),
      isOpen,
      level,
    ]);
    assert.deepEqual(names, [
      ["Home", false, -45],
      ['Café "x"', true, -80],
    ]);
  });

  it("tells what the scan has heard on which channel, where the kernel tells it", async () => {
    const { radio, iwd } = world();
    iwd.dump = "BSS 02:00:5e:00:53:01(on wlan0)\n\tfreq: 2412.0\n\tsignal: -41.00 dBm\n";
    assert.deepEqual((await radio.scan(signal)).heard, [{ frequency: 2_412, signal: -41 }]);
    assert.equal(iwd.calls.at(-1), "iw dev wlan0 scan dump");
    iwd.dump = undefined;
    const { networks, heard } = await radio.scan(signal);
    assert.deepEqual([networks.length, heard], [2, []]);
  });

  it("opens the own network with the firewall, and closes both", async () => {
    const { radio, iwd, owns } = world();
    const own = { name: "Tallydeck-AB23", key: "abcdefghjk", channel: 6 };
    await radio.start(own, signal);
    assert.deepEqual(iwd.calls, [
      "Mode s ap",
      "nft add element inet tallydeck setup_links { wlan0 }",
      "StartProfile s Tallydeck-AB23",
    ]);
    assert.equal((await radio.state()).phones, 2);
    await radio.stop();
    assert.deepEqual(iwd.calls.slice(-2), [
      "Mode s station",
      "nft flush set inet tallydeck setup_links",
    ]);
    assert.deepEqual(owns, [own, undefined]);
    assert.doesNotMatch(iwd.calls.join(), /abcdefghjk/);
  });

  it("is a station behind the firewall again where the own network does not open", async () => {
    const { radio, iwd } = world();
    iwd.closures = 2;
    const own = { name: "Tallydeck-AB23", key: "abcdefghjk", channel: 6 };
    await assert.rejects(radio.start(own, signal), /timed out/);
    assert.deepEqual(iwd.calls.slice(-2), [
      "Mode s station",
      "nft flush set inet tallydeck setup_links",
    ]);
  });

  it("keeps the firewall in front of an own network that does not end, and takes both away later", async () => {
    const { radio, iwd } = world();
    await radio.start({ name: "Tallydeck-AB23", key: "abcdefghjk", channel: 6 }, signal);
    iwd.clings = 1;
    await assert.rejects(radio.stop(), /timed out/);
    assert.equal(iwd.calls.at(-1), "Mode s station");
    await radio.stop();
    assert.equal(iwd.calls.at(-1), "nft flush set inet tallydeck setup_links");
  });

  it("says whether the own network is up: iwd forgets it at a restart", async () => {
    const { radio, iwd } = world();
    assert.equal((await radio.state()).isUp, false);
    await radio.start({ name: "Tallydeck-AB23", key: "abcdefghjk", channel: 6 }, signal);
    assert.equal((await radio.state()).isUp, true);
    Object.assign(iwd, { mode: "station", isStarted: false });
    assert.equal((await radio.state()).isUp, false);
  });

  it("opens the own network at a second try, from a station again", async () => {
    const { radio, iwd } = world();
    iwd.closures = 1;
    await radio.start({ name: "Tallydeck-AB23", key: "abcdefghjk", channel: 6 }, signal);
    assert.equal(iwd.isStarted, true);
    assert.deepEqual(
      [iwd.patience.get("Mode"), iwd.patience.get("StartProfile")],
      [30_000, 32_000],
    );
    assert.deepEqual(
      iwd.calls.filter((call) => /^(?:Mode|StartProfile)/.test(call)),
      ["Mode s ap", "StartProfile s Tallydeck-AB23", "Mode s station"].concat(
        ...["Mode s ap", "StartProfile s Tallydeck-AB23"],
      ),
    );
  });

  it("is online by an address of somebody's network only", async () => {
    const { radio, iwd } = world();
    for (const [addresses, isOnline] of [
      [[], false],
      [["192.0.2.1"], false],
      [["169.254.1.2"], false],
      [["192.168.1.7"], true],
    ] as const) {
      iwd.addresses = [...addresses];
      assert.equal((await radio.state()).isOnline, isOnline);
    }
  });

  it("joins a network, with its country first", async () => {
    const { radio, iwd, undone } = world(true);
    assert.deepEqual(await radio.join(WISH, signal), { joined: true, hasInternet: true });
    assert.equal(iwd.calls[0], "systemctl restart iwd.service");
    assert.deepEqual(undone, []);
    assert.doesNotMatch(iwd.calls.join(), /right password/);
  });

  for (const [reason, log] of [
    ["not-accepted", "event: disconnect-info, reason: 15"],
    ["not-accepted", "4-Way handshake failed for ifindex: 3, reason: 15"],
    ["not-accepted", "event: connect-failed, status: 15"],
    ["not-accepted", "Received Deauthentication event, reason: 15, from_ap: true"],
    ["not-found", "event: connect-timeout, reason: 2\nevent: connect-failed, status: 1"],
    [
      "not-accepted",
      "event: connect-timeout, reason: 2\nevent: connect-failed, status: 1\nevent: disconnect-info, reason: 15",
    ],
    ["failed", "event: disconnect-info, reason: 3"],
    ["failed", "event: connect-info, ssid: reason: 15, bss: 02:00:00:00:01:00"],
    ["failed", ""],
  ] as const)
    it(`says ${reason} by iwd's log, ${JSON.stringify(log)}, and forgets the network`, async () => {
      const { radio, iwd, undone } = world();
      Object.assign(iwd, { joins: false, log });
      assert.deepEqual(await radio.join(WISH, signal), { joined: false, reason });
      assert.deepEqual(undone, ["undo"]);
    });

  it("takes no network for joined that iwd is only about to join", async () => {
    const { radio, iwd } = world();
    Object.assign(iwd, { state: "connecting", connected: "Home", joins: false });
    iwd.log = "event: disconnect-info, reason: 15";
    assert.deepEqual(await radio.join(WISH, signal), { joined: false, reason: "not-accepted" });
  });

  it("takes none for joined that iwd has begun to try by itself", async () => {
    const { radio, iwd } = world();
    Object.assign(iwd, { tries: 4, joins: false });
    assert.deepEqual(await radio.join(WISH, signal), { joined: false, reason: "not-accepted" });
    assert.ok(iwd.calls.includes("Connect"));
  });

  const HAS_HOME = {
    state: "connected",
    connected: "Home",
    addresses: ["192.168.1.7"],
    profile: "right password",
  };

  it("takes one for joined that iwd has joined by itself with its new profile", async () => {
    const { radio, iwd } = world();
    iwd.written = () => void Object.assign(iwd, HAS_HOME);
    assert.deepEqual(await radio.join(WISH, signal), { joined: true, hasInternet: true });
    assert.ok(!iwd.calls.some((call) => call.startsWith("Connect")));
  });

  for (const state of ["connected", "connecting"])
    it(`tries another password for a network that it is ${state} to`, async () => {
      const { radio, iwd, undone } = world();
      Object.assign(iwd, HAS_HOME, { state, completes: true });
      const mistyped = { ...WISH, password: "wrong password" };
      assert.deepEqual(await radio.join(mistyped, signal), {
        joined: false,
        reason: "not-accepted",
      });
      assert.deepEqual([undone, iwd.profile], [["undo"], "right password"]);
      for (const network of iwd.networks) network.known = network.name === "Home";
      assert.deepEqual(await radio.join(undefined, signal), { joined: true, hasInternet: true });
    });

  it("writes no profile for a network that it cannot leave", async () => {
    const { radio, iwd } = world();
    Object.assign(iwd, HAS_HOME, { stays: true });
    await assert.rejects(radio.join({ ...WISH, password: "wrong password" }, signal), /leave/);
    assert.equal(iwd.profile, "right password");
  });

  it("tries once more where nothing tells why a join failed", async () => {
    const { radio, iwd, undone } = world();
    iwd.failures = 1;
    assert.deepEqual(await radio.join(WISH, signal), { joined: true, hasInternet: true });
    assert.equal(iwd.calls.filter((call) => call.startsWith("Connect")).length, 2);
    assert.deepEqual(undone, []);
  });

  it("says not found, and no address", async () => {
    const { radio, iwd, undone } = world();
    const other = { ...WISH, ssid: Buffer.from("Elsewhere").toString("hex") };
    assert.deepEqual(await radio.join(other, signal), { joined: false, reason: "not-found" });
    assert.ok(!iwd.calls.some((call) => call.startsWith("Connect")));
    Object.defineProperty(iwd, "addresses", { get: () => [], set: () => {} });
    assert.deepEqual(await radio.join(WISH, signal), { joined: false, reason: "no-address" });
    assert.equal(undone.length, 2);
  });

  it("joins a hidden network whose name looks like an option of a program", async () => {
    for (const name of ["-x", "--ad=unixexec:path=/dev/shm/x", "--", "--help"]) {
      const { iwd, radio } = world();
      const ssid = Buffer.from(name).toString("hex");
      await radio.join({ ...WISH, ssid, isHidden: true }, signal);
      assert.equal(iwd.calls.at(-1), `ConnectHiddenNetwork s ${name}`);
    }
  });

  it("joins a hidden network by its name, and a known one without", async () => {
    const { radio, iwd } = world();
    const hidden = { ...WISH, ssid: Buffer.from("🏠").toString("hex"), isHidden: true };
    await radio.join(hidden, signal);
    assert.equal(iwd.calls.at(-1), "ConnectHiddenNetwork s 🏠");
    await radio.join({ ...WISH, isHidden: true }, signal);
    assert.equal(iwd.calls.at(-1), "Connect");
    assert.deepEqual(await radio.join(undefined, signal), { joined: false, reason: "not-found" });
    for (const network of iwd.networks) network.known = network.name === "Home";
    assert.deepEqual(await radio.join(undefined, signal), { joined: true, hasInternet: true });
  });

  it("is none where iwd does not run", async () => {
    const { radio, iwd } = world();
    iwd.ask = async () => {
      throw new Error("Call failed: The name net.connman.iwd was not provided");
    };
    const none = { hasRadio: false, isUp: false, phones: 0, isOnline: false };
    assert.deepEqual(await radio.state(), none);
    await assert.rejects(radio.scan(signal), /does not answer/);
  });
});
