import assert from "node:assert/strict";
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { connect } from "node:net";
import Database from "better-sqlite3";
import { isFromHere } from "../../appliance/base/http/client.ts";
import { version } from "../../appliance/base/system/version.ts";
import { PublicDoor } from "../../appliance/control/public-door.ts";
import { databaseFile } from "../../appliance/store/sqlite/database.ts";
import { FakeClock } from "../helpers/fake-clock.ts";
import { mk2 } from "../helpers/fake-hid-elgato.ts";
import { until } from "../helpers/until.ts";
import { FakeUpdates } from "../helpers/updates.ts";
import { type Ask, World } from "../helpers/world.ts";

const TUNNEL_END = "127.0.8.2";

describe("the service's own health", () => {
  const clock = new FakeClock();
  const door = new PublicDoor({ clock, networks: () => [], tunnelEnds: () => [TUNNEL_END] });
  let world: World;
  before(async () => {
    world = new World({
      clock,
      door,
      updates: new FakeUpdates(),
      env: { TRUSTED_PROXIES: "127.0.0.0/8", VIRTUAL_DECK: "mk2", BIND: "0.0.0.0" },
    });
    await world.start();
  });
  after(() => world.end());

  const health = (ask?: Ask) => world.askControl("/api/health", ask);
  const deckIs = (connected: boolean) =>
    until(() =>
      world.service.decks.list().some((deck) => !deck.virtual && deck.connected === connected),
    );
  const versionAtRoot = async (ask?: Ask) =>
    (await world.ask("/", ask)).headers["tallydeck-version"];

  it("is told to who asks from the box itself", async () => {
    const unit = mk2();
    world.usb.plug(unit);
    await deckIs(true);
    const { decks, ...rest } = (await health()).json;
    assert.deepEqual(rest, {
      version: version(),
      release: 11,
      store: { opened: true, wrote: true, isElsewhere: false },
    });
    const [{ id, ...deck }] = decks;
    assert.match(id, /^mk2-/);
    assert.deepEqual(deck, {
      name: "Elgato Stream Deck MK.2 2",
      connected: true,
      usb: ["0fd9:0080"],
    });
    world.usb.unplug(unit);
    await deckIs(false);
    assert.equal(await versionAtRoot(), version());
  });

  const NOT_FROM_HERE: [string, Ask][] = [
    ["for whom a proxy asks", { headers: { "x-forwarded-for": "203.0.113.7" } }],
    ["for whom a proxy asks that says no address", { headers: { via: "1.1 here" } }],
    ["for whom Cloudflare asks", { headers: { "cf-connecting-ip": "203.0.113.7" } }],
    ["who asks for another name", { headers: { host: "tallydeck.local" } }],
    ["who comes through a tunnel", { to: TUNNEL_END }],
    [
      "who comes through a tunnel and asks for this host",
      { to: TUNNEL_END, headers: { host: "127.0.0.1" } },
    ],
  ];
  for (const [who, ask] of NOT_FROM_HERE)
    it(`is not told to one ${who}`, async () => {
      assert.ok([401, 403].includes((await health(ask)).status));
      assert.equal(await versionAtRoot(ask), undefined);
    });

  it("is not told to one whose address a proxy puts before the first byte", async () => {
    const socket = connect(world.port, "127.0.0.1");
    socket.end(
      "PROXY TCP4 203.0.113.7 192.0.2.1 54321 80\r\n" +
        "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n",
    );
    const chunks: Buffer[] = [];
    socket.on("data", (chunk: Buffer) => chunks.push(chunk));
    await once(socket, "close");
    const answer = Buffer.concat(chunks).toString();
    assert.match(answer, /^HTTP\/1\.1 200 /);
    assert.doesNotMatch(answer, /tallydeck-version/i);
  });

  it("is not told to a neighbour of the network", () => {
    const from = (remoteAddress: string, localAddress = "127.0.0.1") =>
      isFromHere({
        socket: { remoteAddress, localAddress },
        headers: { host: "127.0.0.1" },
      } as unknown as IncomingMessage);
    assert.equal(from("192.0.2.9"), false);
    assert.equal(from("::ffff:192.0.2.9"), false);
    assert.equal(from("127.0.0.1", "192.0.2.7"), false);
    assert.equal(from("::1", "::1"), true);
    assert.equal(from("::ffff:127.0.0.1", "::ffff:127.0.0.1"), true);
  });

  it("is that nothing is written when the database takes nothing", async () => {
    const db = new Database(databaseFile(world.dataDir));
    db.exec("CREATE TRIGGER full BEFORE INSERT ON meta BEGIN SELECT RAISE(ABORT, 'full'); END");
    assert.deepEqual((await health()).json.store, {
      opened: true,
      wrote: false,
      isElsewhere: false,
    });
    db.exec("DROP TRIGGER full");
    db.close();
  });

  it("is that nothing is opened when the data cannot be used", async () => {
    const broken = new World({ dataDir: world.dataDir });
    await world.stop();
    const db = new Database(databaseFile(world.dataDir));
    db.pragma("application_id = 1");
    db.close();
    await broken.start();
    const { status, json } = await broken.askControl("/api/health");
    assert.equal(status, 200);
    assert.deepEqual(json.store, { opened: false, wrote: false, isElsewhere: false });
    assert.equal((await broken.ask("/")).headers["tallydeck-version"], version());
    await broken.stop();
  });
});
