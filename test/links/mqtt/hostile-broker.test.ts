import assert from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import { connectMqtt } from "../../../appliance/links/mqtt/client.ts";
import { keptMemory } from "../../helpers/kept-memory.ts";
import { lasting, oneOf } from "../../helpers/long.ts";
import { Listener } from "../../helpers/mosquitto.ts";
import type { Owner } from "../../helpers/owner.ts";
import { type Guest, RawBroker } from "../../helpers/raw-broker.ts";
import { eachTroubled, isConnected } from "./troubled.ts";

/** All that MQTT may cost, whatever comes. */
const BOUND = 16 * 1_048_576;
const NAME = "x".repeat(400);

describe("a broker that means harm", () => {
  const trouble = eachTroubled();
  const { problemOf, stateOf } = trouble;

  const boxAt = async (
    { port }: { port: number },
    version: string,
    env: Record<string, string> = {},
  ) => {
    const owner = await trouble.boxWith({
      MQTT_URL: `127.0.0.1:${port}`,
      MQTT_VERSION: version,
      ...env,
    });
    return { owner, base: `tallydeck/${(await owner.get("/api/mqtt")).box}` };
  };
  /** Waits for the next guest of a broker. */
  const guestOf = async (owner: Owner, guests: Guest[]): Promise<Guest> => {
    for (;;) {
      const guest = guests.shift();
      if (guest) return guest;
      owner.world.clock.advance(1_000);
      await setImmediate();
    }
  };
  /**
   * Sends `make(0)`, `make(1)` … in pieces of 64 kB while the connection stands.
   * @param before the memory that it is compared to
   * @returns what it cost at most
   */
  const flood = async (
    { world }: Owner,
    guest: Guest,
    { bytes, make }: { bytes: number; make: (number: number) => Buffer },
    before = keptMemory(),
  ): Promise<number> => {
    let most = 0;
    let number = 0;
    for (let sent = 0; sent < bytes && !guest.isOver; ) {
      const piece: Buffer[] = [];
      for (let size = 0; size < 65_536; size += piece.at(-1)?.length ?? 0)
        piece.push(make(number++));
      const all = Buffer.concat(piece);
      let isSent = false;
      void guest.send(all).then(() => {
        isSent = true;
      });
      // The box takes some messages of a flood each second.
      for (await setImmediate(); !isSent; await setImmediate()) world.clock.advance(250);
      sent += all.length;
      // A look takes longer than all that came since the last one.
      if (sent % (BOUND / 2) < all.length) most = Math.max(most, keptMemory() - before);
    }
    return Math.max(most, keptMemory() - before);
  };

  for (const version of oneOf(["3.1.1", "5"])) {
    it(`and sends messages with QoS 2 is left, and costs no memory: ${version}`, async () => {
      const guests: Guest[] = [];
      const broker = trouble.ending(
        await RawBroker.open({ listened: (guest) => guests.push(guest) }),
      );
      const { owner, base } = await boxAt(broker, version);
      const guest = await guestOf(owner, guests);
      const payload = "x".repeat(1_000);
      const cost = await flood(owner, guest, {
        bytes: 3 * BOUND,
        make: (id) => guest.message(`${base}/notify`, { payload, qos: 2, id: (id % 65_535) + 1 }),
      });
      assert.ok(cost < BOUND, `${cost} bytes`);
      assert.match(await problemOf(owner), /with QoS 2.+ update the broker/);
    });

    it(`and sends long topics is left, and costs no memory: ${version}`, async () => {
      const guests: Guest[] = [];
      const broker = trouble.ending(
        await RawBroker.open({ listened: (guest) => guests.push(guest) }),
      );
      const { owner, base } = await boxAt(broker, version);
      const guest = await guestOf(owner, guests);
      const cost = await flood(owner, guest, {
        bytes: 3 * BOUND,
        make: (number) =>
          guest.message(`${base}/channel/${number}${"x".repeat(50_000)}/state`, {
            payload: "x",
            retain: true,
          }),
      });
      assert.ok(cost < BOUND, `${cost} bytes`);
      assert.match(await problemOf(owner), /topic has more than 512 bytes.+ find out who sends it/);
    });
  }

  it("and reads nothing gets no more to keep by each connection", async () => {
    const guests: Guest[] = [];
    const broker = trouble.ending(
      await RawBroker.open({ isDeaf: true, listened: (guest) => guests.push(guest) }),
    );
    const { owner, base } = await boxAt(broker, "5");
    let cost = 0;
    const before = keptMemory();
    for (let times = 0; times < 4; times++) {
      const guest = await guestOf(owner, guests);
      const make = (number: number) =>
        guest.message(`${base}/channel/${times}-${number}-${NAME}/state`, {
          payload: "x",
          retain: true,
        });
      cost = await flood(owner, guest, { bytes: lasting(BOUND / 2), make }, before);
      guest.cut();
      await stateOf(owner, (state) => !state.connected);
      guests.length = 0;
    }
    assert.ok(cost < lasting(BOUND), `${cost} bytes`);
  });

  it("and confirms nothing gets a few messages to confirm, and is left after a minute", async () => {
    const guests: Guest[] = [];
    const broker = trouble.ending(
      await RawBroker.open({ isMute: true, listened: (guest) => guests.push(guest) }),
    );
    const { owner } = await boxAt(broker, "5", { VIRTUAL_DECK: "mk2" });
    const guest = await guestOf(owner, guests);
    for (let number = 0; number < 40; number++)
      await owner.ask("PUT", "/api/decks/virtual-mk2/slots/k3", {
        widget: { type: "push", channel: `door-${number}` },
      });
    const described = guest.wrote.filter((topic) => topic.endsWith("/config"));
    assert.ok(described.length > 1 && described.length <= 16, String(described.length));
    assert.match(await problemOf(owner), /took nothing from the machine for a minute/);
  });

  it("and sends the smallest packets there are costs no more than the bound", async () => {
    const guests: Guest[] = [];
    const broker = trouble.ending(
      await RawBroker.open({ listened: (guest) => guests.push(guest) }),
    );
    const { owner } = await boxAt(broker, "5");
    const guest = await guestOf(owner, guests);
    const PINGRESP = Buffer.of(0xd0, 0);
    const cost = await flood(owner, guest, { bytes: 262_144, make: () => PINGRESP });
    assert.ok(cost < BOUND, `${cost} bytes`);
    assert.match(await problemOf(owner), /sent answers that the machine had not asked for/);
  });
});

describe("a broker that sends many messages in one piece", () => {
  it("leaves others their turn between a few of them", async () => {
    const guests: Guest[] = [];
    const broker = await RawBroker.open({ listened: (guest) => guests.push(guest) });
    const { promise: isOpen, resolve: opened } = Promise.withResolvers<void>();
    const COUNT = 5_000;
    let turns = 0;
    let heard = 0;
    const connection = connectMqtt(
      { url: `mqtt://127.0.0.1:${broker.port}`, user: "", password: "", version: "5", ca: "" },
      {
        clientId: "slices",
        will: { topic: "will", payload: "", retain: false, qos: 0 },
        listenFor: ["a"],
      },
      {
        connected: opened,
        closed: () => {},
        refused: () => {},
        drained: () => {},
        message: (_message, done) => {
          heard += 1;
          if (heard === 1) turns = 0;
          done();
        },
      },
    );
    await isOpen;
    const [guest] = guests;
    assert.ok(guest);
    void guest.send(Buffer.concat(Array(COUNT).fill(guest.message("a", { payload: "x" }))));
    while (heard < COUNT && !guest.isOver) {
      await setImmediate();
      turns += 1;
    }
    connection.cut();
    assert.equal(heard, COUNT);
    assert.ok(turns >= COUNT / 64 - 1, `${turns} turns`);
  });
});

describe("a broker that keeps what others invented", () => {
  const trouble = eachTroubled();
  const { stateOf, problemOf } = trouble;

  const boxAtMosquitto = async (env: Record<string, string> = {}) => {
    const broker = await trouble.brokerOf({});
    const owner = await trouble.boxWith({ MQTT_URL: `127.0.0.1:${broker.port}`, ...env });
    const ha = trouble.ending(await Listener.open(broker));
    await stateOf(owner, isConnected);
    return { owner, ha, base: `tallydeck/${(await owner.get("/api/mqtt")).box}` };
  };

  for (const MQTT_VERSION of oneOf(["3.1.1", "5"]))
    it(`under long topics is left for it, and costs no memory: ${MQTT_VERSION}`, async () => {
      const { owner, ha, base } = await boxAtMosquitto({ MQTT_VERSION });
      await owner.world.stop();
      const long = "x".repeat(50_000);
      for (let number = 0; number < 700; number++)
        ha.client.publish(`${base}/channel/${number}${long}/state`, "x", { retain: true });
      await ha.settle();
      ha.heard.length = 0;
      const before = keptMemory();
      await owner.world.start();
      assert.match(await problemOf(owner), /topic has more than 512 bytes/);
      const cost = keptMemory() - before;
      assert.ok(cost < BOUND, `${cost} bytes`);
      await ha.settle();
      assert.equal(ha.heard.filter(({ topic }) => topic.length > 512).length, 0);
    });

  it("is rid of some hundreds of topics at once, and of none that a box could not have made", async () => {
    const { owner, ha, base } = await boxAtMosquitto();
    const oldest = (number: number) => `${base}/channel/old-${number}/state`;
    const foreign = `${base}/channel/${NAME}/state`;
    await ha.say(foreign, "x", { retain: true });
    await ha.say(`${base}/deck/mk2-1/image`, "x", { retain: true });
    await ha.say(`${base}/deck/mk2-1/state`, "x", { retain: true });
    for (let number = 0; number < 700; number++)
      ha.client.publish(oldest(number), "x", { retain: true });
    await ha.settle();
    const clearedOf = async () => {
      const from = ha.heard.length;
      await owner.world.restart();
      await stateOf(owner, isConnected);
      // The broker has been asked and has answered: in the order of what was sent.
      const isLast = (topic: string) => topic === `${base}/deck/nothing/none/result`;
      await ha.say(`${base}/deck/nothing/none/set`, "");
      await ha.nextOf(isLast, from);
      return ha.since(from).filter(({ topic, text }) => text === "" && !topic.endsWith("/set"));
    };
    const first = await clearedOf();
    assert.ok(first.length > 100 && first.length <= 512, String(first.length));
    const topics = new Set(first.map(({ topic }) => topic));
    const isRid = () => topics.has(oldest(0)) && topics.has(oldest(699));
    // A broker that is slow tells fewer of them in the time that a start listens for them.
    for (let start = 0; start < 4 && !isRid(); start++)
      for (const { topic } of await clearedOf()) topics.add(topic);
    assert.ok(isRid(), String(topics.size));
    assert.ok(topics.has(`${base}/deck/mk2-1/image`));
    assert.ok(!topics.has(foreign));
  });
});
