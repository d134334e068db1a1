import assert from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import type { WifiState } from "../../../appliance/box/ipc/wifi-state.ts";
import { wifiResultText } from "../../../appliance/box/ipc/wifi-text.ts";
import { COUNTRIES } from "../../../appliance/box/provision/settings.ts";
import {
  LAST_PAGE_MS,
  OPEN_MS,
  PATIENCE_MS,
  RETRY_MS,
} from "../../../appliance/box/wifi/machine.ts";
import { Portal } from "../../../appliance/box/wifi/portal/portal.ts";
import type { JoinEnd, JoinRequest, OwnNetwork, Radio } from "../../../appliance/box/wifi/radio.ts";
import { WifiSetUp } from "../../../appliance/box/wifi/set-up.ts";
import { FakeClock } from "../../helpers/fake-clock.ts";

const HOME = Buffer.from("Home").toString("hex");

/** A radio in a street with one network, whose password is `right password`. */
class FakeRadio implements Radio {
  own: OwnNetwork | undefined;
  phones = 0;
  isOnline = false;
  hasRadio = true;
  /** The end of joining with the right password. */
  end: JoinEnd = { joined: true, hasInternet: true };
  /** Looks for the internet, while it has an address. */
  looksAround: () => Promise<void> = async () => {};
  /** Calls that are to close the own network, and fail. */
  clings = 0;
  readonly did: string[] = [];
  /** The number of times that it was asked for its state. */
  looks = 0;

  async scan() {
    this.did.push("scan");
    // On the channels 1 and 6.
    const heard = [2_412, 2_437].map((frequency) => ({ frequency, signal: -50 }));
    return { networks: [{ ssid: HOME, isOpen: false, signal: -50 }], heard };
  }
  async start(own: OwnNetwork) {
    this.did.push("start");
    assert.equal(own.channel, 11);
    this.own = own;
  }
  async stop() {
    this.did.push("stop");
    if (this.clings-- > 0) throw new Error("Failed to set property: Connection timed out");
    this.own = undefined;
  }
  async join(wish: JoinRequest | undefined): Promise<JoinEnd> {
    assert.equal(this.own, undefined, "a station, or an access point");
    this.did.push(wish === undefined ? "rejoin" : "join");
    const isRight = wish === undefined || wish.password === "right password";
    const end: JoinEnd = isRight ? this.end : { joined: false, reason: "not-accepted" };
    this.isOnline = end.joined;
    await this.looksAround();
    return end;
  }
  async state() {
    this.looks += 1;
    const { hasRadio, phones, isOnline } = this;
    const isUp = this.own !== undefined;
    return { hasRadio, isUp, phones: isUp ? phones : 0, isOnline: isOnline && !isUp };
  }
}

describe("the set-up of the Wi-Fi", () => {
  const stop: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const each of stop.splice(0)) await each();
  });

  function world() {
    const clock = new FakeClock();
    const radio = new FakeRadio();
    const box = {
      hasCable: false,
      begins: false,
      insists: false,
      hasDeck: true,
      hasPages: true,
      change: undefined as JoinRequest | undefined,
    };
    const memory = {
      hadNetwork: false,
      isNoted: false,
      kept: undefined as JoinRequest | undefined,
      isWritable: true,
      noteNetwork: (isKept: boolean) => {
        memory.hadNetwork = true;
        if (isKept && !memory.isWritable) throw new Error("EROFS: read-only file system");
        memory.isNoted ||= isKept;
      },
      known: () => memory.kept?.ssid ?? null,
      country: () => memory.kept?.country ?? "",
      keep: (wish: JoinRequest) => {
        if (!memory.isWritable) throw new Error("EROFS: read-only file system");
        memory.kept = wish;
      },
    };
    const states: WifiState[] = [];
    const logged: string[] = [];
    let portal: Portal | undefined;
    let sent: JoinRequest | undefined;
    const setUp = new WifiSetUp({
      clock,
      radio,
      memory,
      isData: () => true,
      asked: () => {
        const { begins, insists, change, hasDeck } = box;
        Object.assign(box, { begins: false, insists: false, change: undefined });
        return { begins, insists, change, hasDeck };
      },
      hasScreen: () => false,
      hasCable: () => box.hasCable,
      isSure: () => true,
      countries: [...COUNTRIES],
      randomInt: (end) => Math.min(7, end - 1),
      portal: {
        open: async (content) => {
          if (!box.hasPages) throw new Error("Job for tallydeck-portal.service failed");
          portal = new Portal({
            content,
            join: (wish) => {
              sent = wish;
            },
            lookAgain: () => {},
          });
        },
        close: async () => {
          portal = undefined;
        },
        taken: () => {
          const wish = sent;
          sent = undefined;
          return { wish, looksAgain: false };
        },
      },
      tell: (state) => void states.push(state),
      log: (line) => void logged.push(line),
    });
    const end = new AbortController();
    let hasEnded = false;
    const ended = setUp.run(end.signal).then(() => {
      hasEnded = true;
    });
    stop.push(() => {
      end.abort();
      return ended;
    });
    const pass = async (ms: number) => {
      for (let passed = 0; passed < ms; passed += 500) {
        clock.advance(500);
        for (let turns = 0; turns < 8; turns += 1) await setImmediate();
      }
    };
    const ask = (method: string, body = "") =>
      portal?.answer({
        method,
        host: "192.0.2.1",
        path: "/",
        languages: "de-CH",
        from: "192.0.2.7",
        body,
      });
    const send = (password: string) => {
      const token = /name="token" value="([^"]+)"/.exec(ask("GET")?.body ?? "")?.[1] ?? "";
      const fields = { token, country: "CH", network: `psk-${HOME}`, password };
      return ask("POST", new URLSearchParams(fields).toString());
    };
    const now = () => states.at(-1);
    return { radio, box, memory, states, logged, pass, ask, send, now, hasEnded: () => hasEnded };
  }

  it("brings a new box onto its network, and ends", async () => {
    const { pass, now, send, radio, memory, logged, hasEnded } = world();
    await pass(PATIENCE_MS + 4_000);
    assert.equal(now()?.phase, "open");
    assert.match(now()?.own?.name ?? "", /^Tallydeck-[2-9A-Z]{4}$/);
    assert.match(now()?.own?.key ?? "", /^[a-hjkmnp-z]{10}$/);
    assert.equal(send("right password")?.status, 200);
    await pass(LAST_PAGE_MS + 2_000);
    assert.deepEqual([memory.kept?.ssid, memory.isNoted, now()?.isNew], [HOME, true, false]);
    const { phase, own, network, trouble, hasInternet } = now() ?? {};
    assert.deepEqual(
      [phase, own, network, trouble, hasInternet],
      ["idle", null, "Home", null, true],
    );
    assert.deepEqual(radio.did, ["stop", "scan", "start", "stop", "join"]);
    assert.doesNotMatch(logged.join("\n"), /right password/);
    await pass(70_000);
    assert.equal(hasEnded(), true);
  });

  it("comes back with the reason, under the same name, and keeps nothing", async () => {
    const { pass, now, send, ask, memory, states, logged } = world();
    await pass(PATIENCE_MS + 4_000);
    const own = now()?.own;
    send("wrong password");
    await pass(LAST_PAGE_MS + 4_000);
    assert.deepEqual([now()?.phase, now()?.own], ["open", own]);
    assert.deepEqual([now()?.trouble?.reason, now()?.trouble?.network], ["not-accepted", "Home"]);
    assert.match(ask("GET")?.body ?? "", /The password was not accepted by Home\./);
    assert.equal(memory.kept, undefined);
    assert.ok(states.some(({ phase }) => phase === "joining"));
    assert.doesNotMatch(JSON.stringify([states, logged]), /wrong password/);
    send("right password");
    await pass(LAST_PAGE_MS + 4_000);
    assert.deepEqual([now()?.phase, now()?.trouble], ["idle", null]);
  });

  it("stays new until its first network is kept, for a power cut in between", async () => {
    const { pass, send, radio, memory } = world();
    const { promise, resolve } = Promise.withResolvers<void>();
    radio.looksAround = () => promise;
    await pass(PATIENCE_MS + 4_000);
    send("right password");
    await pass(LAST_PAGE_MS + 4_000);
    const meanwhile = [radio.isOnline, memory.kept, memory.hadNetwork];
    resolve();
    await pass(2_000);
    assert.deepEqual(meanwhile, [true, undefined, false]);
    assert.deepEqual([memory.kept?.ssid, memory.isNoted], [HOME, true]);
  });

  it("stays new where its first network cannot be kept, and opens none until the next start", async () => {
    const { pass, send, radio, memory, now, logged } = world();
    await pass(PATIENCE_MS + 4_000);
    memory.isWritable = false;
    send("right password");
    await pass(LAST_PAGE_MS + 4_000);
    assert.deepEqual([now()?.phase, memory.isNoted], ["idle", false]);
    assert.match(logged.join("\n"), /could not be kept/);
    radio.isOnline = false;
    radio.end = { joined: false, reason: "not-found" };
    await pass(PATIENCE_MS + RETRY_MS);
    assert.equal(now()?.phase, "idle");
  });

  it("stays new where its program was killed while it joined, and iwd goes on", async () => {
    const { pass, radio, memory } = world();
    radio.isOnline = true;
    await pass(4_000);
    assert.equal(memory.isNoted, false);
  });

  it("goes on where a card cannot be written that had a cable", async () => {
    const { pass, box, memory, now, logged } = world();
    Object.assign(box, { hasCable: true });
    memory.isWritable = false;
    await pass(20_000);
    assert.equal(logged.filter((line) => line.includes("EROFS")).length, 1);
    box.hasCable = false;
    box.begins = true;
    await pass(PATIENCE_MS + 4_000);
    assert.equal(now()?.phase, "open");
  });

  it("leaves no network behind whose pages do not open", async () => {
    const { pass, now, radio, box } = world();
    box.hasPages = false;
    await pass(PATIENCE_MS + 4_000);
    assert.deepEqual(
      [radio.own, radio.did.slice(0, 4)],
      [undefined, ["stop", "scan", "start", "stop"]],
    );
    assert.deepEqual([now()?.own, now()?.hasOpened], [null, false]);
    await pass(64_000);
    assert.equal(now()?.phase, "over");
  });

  it("closes its network again and again, until it is closed", async () => {
    const { pass, now, radio, box } = world();
    await pass(PATIENCE_MS + 4_000);
    radio.clings = 2;
    box.hasCable = true;
    await pass(4_000);
    assert.deepEqual([radio.own?.name, now()?.own], ["Tallydeck-9999", null]);
    await pass(2 * 62_000);
    assert.equal(radio.own, undefined);
  });

  it("opens its network again, as it was, where iwd has lost it", async () => {
    const { pass, now, radio, ask } = world();
    await pass(PATIENCE_MS + 4_000);
    const own = now()?.own;
    radio.own = undefined;
    await pass(10_000);
    assert.deepEqual(
      [radio.did.slice(-2), now()?.phase, now()?.own],
      [["stop", "start"], "open", own],
    );
    assert.equal(ask("GET")?.status, 200);
    await pass(30_000);
    assert.equal(radio.did.length, 5, "once");
  });

  it("counts a network without internet as joined, with a note", async () => {
    const { pass, now, send, radio, memory } = world();
    radio.end = { joined: true, hasInternet: false };
    await pass(PATIENCE_MS + 4_000);
    send("right password");
    await pass(LAST_PAGE_MS + 4_000);
    assert.deepEqual([now()?.phase, now()?.hasInternet, memory.kept?.ssid], ["idle", false, HOME]);
  });

  it("ends by its time, and begins again on a press", async () => {
    const { pass, now, box } = world();
    await pass(PATIENCE_MS + OPEN_MS + 6_000);
    assert.deepEqual([now()?.phase, now()?.own, now()?.isNew], ["over", null, true]);
    box.begins = true;
    await pass(6_000);
    assert.equal(now()?.phase, "open");
  });

  it("ends when a cable comes", async () => {
    const { pass, now, box, ask } = world();
    await pass(PATIENCE_MS + 4_000);
    box.hasCable = true;
    await pass(4_000);
    assert.deepEqual([now()?.phase, now()?.own, ask("GET")], ["idle", null, undefined]);
  });

  it("says why a network of the card is not joined, and opens nothing", async () => {
    const { pass, now, radio, memory } = world();
    memory.kept = { ssid: HOME, password: "wrong", country: "CH", isHidden: false };
    radio.end = { joined: false, reason: "not-accepted" };
    await pass(PATIENCE_MS + RETRY_MS + 6_000);
    assert.deepEqual([now()?.phase, now()?.trouble?.reason], ["idle", "not-accepted"]);
    assert.ok(now()?.trouble?.at);
    assert.deepEqual(radio.did, ["stop", "rejoin", "rejoin"]);
  });

  const CARD = { ssid: HOME, password: "right password", country: "CH", isHidden: false };

  it("says that a network is back, which the card would call gone for ever", async () => {
    const { pass, radio, memory, states } = world();
    memory.kept = CARD;
    radio.end = { joined: false, reason: "not-found" };
    await pass(PATIENCE_MS + 4_000);
    radio.isOnline = true;
    await pass(14_000);
    const said = new Set(states.map(wifiResultText));
    const seen = [...said].map((sentence) => sentence.replace(/ at .* UTC/, " at T"));
    assert.deepEqual(seen, ["", "Home was not found, at T.", "The box joined Home."]);
  });

  it("says that the network of the card is joined, where the start found it", async () => {
    const { pass, radio, memory, states } = world();
    memory.kept = CARD;
    radio.isOnline = true;
    await pass(14_000);
    assert.deepEqual([...new Set(states.map(wifiResultText))], ["", "The box joined Home."]);
  });

  it("says of no network that it is joined while it is being joined", async () => {
    const { pass, radio, memory, states, box } = world();
    memory.kept = CARD;
    radio.isOnline = true;
    await pass(14_000);
    box.change = { ...CARD, ssid: Buffer.from("Other").toString("hex") };
    radio.end = { joined: false, reason: "not-found" };
    await pass(4_000);
    assert.ok(states.some(({ phase }) => phase === "changing"));
    assert.ok(!states.map(wifiResultText).includes("The box joined Other."));
  });

  it("opens where the card insists, although the box is on its network, for one time", async () => {
    const { pass, now, send, radio, memory, box } = world();
    memory.kept = CARD;
    Object.assign(box, { insists: true });
    radio.isOnline = true;
    await pass(PATIENCE_MS + 4_000);
    assert.equal(now()?.phase, "open");
    send("wrong password");
    await pass(LAST_PAGE_MS + 4_000);
    assert.deepEqual([now()?.phase, now()?.trouble?.reason], ["open", "not-accepted"]);
    await pass(OPEN_MS + 4_000);
    radio.isOnline = true;
    await pass(PATIENCE_MS + 14_000);
    assert.deepEqual([now()?.phase, now()?.own, radio.own], ["over", null, undefined]);
  });

  it("asks the radio seldom while there is nothing to do, and at once when there is", async () => {
    const { pass, now, radio, box } = world();
    box.hasDeck = false;
    await pass(60_000);
    assert.ok(radio.looks <= 7, `${radio.looks}`);
    box.hasDeck = true;
    box.begins = true;
    await pass(4_000);
    assert.equal(now()?.phase, "open");
  });

  it("takes a press just after its network is gone, of which it has not heard yet", async () => {
    const { pass, now, radio, box } = world();
    radio.isOnline = true;
    await pass(22_000);
    radio.isOnline = false;
    box.begins = true;
    await pass(PATIENCE_MS + 4_000);
    assert.equal(now()?.phase, "open");
  });

  it("ends where there is no radio, and asks for one seldom until then", async () => {
    const { pass, radio, hasEnded } = world();
    radio.hasRadio = false;
    await pass(70_000);
    assert.equal(hasEnded(), true);
    assert.ok(radio.looks <= 8, `${radio.looks}`);
  });

  it("tries the owner's change, and tells of the failure", async () => {
    const { pass, now, radio, box, memory } = world();
    radio.isOnline = true;
    await pass(4_000);
    box.change = { ssid: HOME, password: "wrong password", country: "", isHidden: false };
    await pass(4_000);
    assert.deepEqual([now()?.phase, now()?.trouble?.reason], ["idle", "not-accepted"]);
    assert.equal(memory.kept, undefined);
  });

  it("is on the old network again at once after a change that failed, beside a cable too", async () => {
    const { pass, now, radio, box, memory } = world();
    const kept = { ssid: HOME, password: "right password", country: "CH", isHidden: false };
    memory.kept = kept;
    Object.assign(box, { hasCable: true });
    radio.isOnline = true;
    await pass(4_000);
    box.change = { ...kept, password: "wrong password", country: "" };
    await pass(4_000);
    assert.deepEqual(radio.did, ["stop", "join", "rejoin"]);
    assert.deepEqual([radio.isOnline, memory.kept], [true, kept]);
    assert.deepEqual([now()?.network, now()?.trouble?.reason], ["Home", "not-accepted"]);
  });
});
