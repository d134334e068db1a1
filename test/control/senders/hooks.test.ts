import assert from "node:assert/strict";
import { assertError, Owner } from "../../helpers/owner.ts";
import { sharedWorld } from "../../helpers/world.ts";

describe("the webhooks of monitoring systems", () => {
  const world = sharedWorld();
  let token: string;
  const owner = new Owner(world);
  before(async () => {
    token = (await owner.makePushToken()).token;
  });
  beforeEach(async () => {
    await owner.ask("DELETE", "/api/push-channels/mon");
    world().clock.advance(60_000);
  });

  const post = (system: string, body: unknown) =>
    owner.ask("POST", `/hooks/${system}/mon`, body, {
      headers: { authorization: `Bearer ${token}` },
    });
  const held = async () => {
    const { channels } = await owner.get("/api/push-channels");
    return channels.find((known: { channel: string }) => known.channel === "mon");
  };
  const shown = async () => {
    const { text, state, status } = (await held()) ?? {};
    return [text, state, status];
  };
  const see = () => owner.ask("POST", "/api/push-channels/mon/acknowledge");

  describe("of Alertmanager", () => {
    const alert = (name: string, more: object = {}) => ({
      status: "firing",
      labels: { alertname: name, instance: "a:9100" },
      annotations: { summary: `${name} is bad` },
      startsAt: "2026-03-04T12:00:00Z",
      fingerprint: name,
      ...more,
    });
    const group = (groupKey: string, ...alerts: object[]) =>
      post("alertmanager", {
        version: "4",
        groupKey,
        status: "firing",
        receiver: "deck",
        truncatedAlerts: 0,
        alerts,
      });

    it("show the one that fires, and what is wrong", async () => {
      const reply = await group("g", alert("Disk"));
      assert.deepEqual(reply.json, { ok: true, channel: "mon", firing: 1 });
      assert.deepEqual(await shown(), ["Disk\nDisk is bad", "firing", "fail"]);
    });

    it("count over all groups, the worst first", async () => {
      await group("g", alert("Disk", { labels: { alertname: "Disk", severity: "warning" } }));
      assert.equal((await held()).status, "warn");
      await group("h", alert("Net"), alert("Old", { status: "resolved" }));
      assert.deepEqual(await shown(), ["2 firing\nNet\nDisk", "firing", "fail"]);
      await group("h", alert("Net", { status: "resolved" }));
      assert.deepEqual((await shown()).slice(1), ["firing", "warn"]);
      await group("g", alert("Disk", { status: "resolved" }));
      assert.deepEqual(await shown(), ["Disk", "resolved", "ok"]);
    });

    it("stay seen while nothing new fires", async () => {
      await group("g", alert("Disk"), alert("Net"));
      await see();
      await group("g", alert("Net"));
      assert.equal((await held()).state, "acknowledged");
      await group("g", alert("Net"), alert("Power"));
      assert.equal((await held()).state, "firing");
    });

    it("fire on after a restart until all of it is said to be well", async () => {
      await group("g", alert("Disk"));
      await group("h", alert("Net"));
      await world().restart();
      await group("h", alert("Net", { status: "resolved" }));
      assert.equal((await held()).state, "firing");
      await group("g", alert("Disk"));
      await group("g", alert("Disk", { status: "resolved" }));
      assert.equal((await held()).state, "resolved");
    });

    const cutGroup = (truncatedAlerts: unknown, ...alerts: object[]) =>
      post("alertmanager", { version: "4", groupKey: "g", truncatedAlerts, alerts });

    it("count what the list leaves out, and are a failure then", async () => {
      const mild = alert("Disk", { labels: { alertname: "Disk", severity: "info" } });
      assert.equal((await cutGroup(30, mild)).json.firing, 31);
      assert.deepEqual(await shown(), ["31 firing\n30 not listed\nDisk", "firing", "fail"]);
      await cutGroup(0, mild);
      assert.deepEqual(await shown(), ["Disk\nDisk is bad", "firing", "warn"]);
      await cutGroup(2, alert("Disk", { status: "resolved" }));
      assert.deepEqual(await shown(), ["2 not listed\nRaise max_alerts", "firing", "fail"]);
      await cutGroup(0, alert("Disk", { status: "resolved" }));
      assert.deepEqual((await shown()).slice(1), ["resolved", "ok"]);
    });

    it("are news when more is left out, and no news when less is", async () => {
      await cutGroup(2, alert("Disk"));
      await see();
      await cutGroup(1, alert("Disk"));
      assert.equal((await held()).state, "acknowledged");
      await cutGroup(2, alert("Disk"));
      assert.equal((await held()).state, "firing");
    });

    it("are a failure also beside 256 warnings of other groups", async () => {
      const mild = { alertname: "A", severity: "info" };
      const many = Array.from({ length: 256 }, (_, n) => alert(`A${n}`, { labels: mild }));
      await group("h", ...many);
      await cutGroup(5, alert("Disk", { labels: mild }));
      assert.equal((await held()).status, "fail");
    });

    it("are told apart by all of a long group key, and by all labels without a fingerprint", async () => {
      const long = (end: string) => `{}/{severity="critical"}:{${"x".repeat(300)}="${end}"}`;
      assert.equal((await group(long("a"), alert("Primary"))).json.firing, 1);
      assert.equal((await group(long("b"), alert("Secondary"))).json.firing, 2);
      const over = alert("Secondary", { status: "resolved" });
      assert.equal((await group(long("b"), over)).json.firing, 1);
      assert.deepEqual((await shown()).slice(1), ["firing", "fail"]);
      const bare = (pod: string) => ({
        ...alert("Crash"),
        fingerprint: undefined,
        labels: { alertname: "Crash", container: "y".repeat(300), pod },
      });
      assert.equal((await group(long("c"), bare("1"), bare("2"))).json.firing, 3);
    });

    it("fire on while another group that has the same alert is over", async () => {
      await group("g", alert("Disk"));
      assert.equal((await group("h", alert("Disk"))).json.firing, 1);
      await group("h", alert("Disk", { status: "resolved" }));
      assert.deepEqual((await shown()).slice(1), ["firing", "fail"]);
    });

    it("fire on beside a group of more than can be told apart", async () => {
      const mild = { alertname: "Disk", severity: "info" };
      await group("g", alert("Disk", { labels: mild }));
      const many = (status: string) =>
        Array.from({ length: 400 }, (_, n) => alert(`A${n}`, { status }));
      await group("h", ...many("firing"));
      await group("h", ...many("resolved"));
      assert.deepEqual((await shown()).slice(1), ["firing", "warn"]);
    });

    for (const count of [-1, 1.5, "3", 1e300])
      it(`refuse ${JSON.stringify(count)} as a number of those left out`, async () => {
        assertError(await cutGroup(count, alert("Disk")), 400, "invalid_field");
      });

    it("may be 256 kB, and count to 256", async () => {
      const many = Array.from({ length: 900 }, (_, n) => alert(`A${n}`));
      assert.equal((await group("g", ...many)).json.firing, 256);
      assert.match((await held()).text, /^256\+ firing/);
      assertError(await post("alertmanager", "x".repeat(262_145)), 413, "payload_too_large");
    });

    for (const [what, body] of [
      ["no object", "[]"],
      ["no list of alerts", { groupKey: "g" }],
      ["an alert that is none", { groupKey: "g", alerts: [7] }],
      ["an unknown status", { groupKey: "g", alerts: [{ status: "odd", labels: {} }] }],
      [
        "a label that is no text",
        { groupKey: "g", alerts: [{ status: "firing", labels: { a: 1 } }] },
      ],
    ] as const)
      it(`refuse ${what}`, async () => {
        assertError(await post("alertmanager", body), 400, "invalid_field");
        assert.equal(await held(), undefined);
      });
  });

  describe("of Uptime Kuma", () => {
    const beat = (id: number, status: number, more: object = {}) =>
      post("uptime-kuma", {
        heartbeat: { monitorID: id, status, msg: "timeout", time: "2026-03-04", important: true },
        monitor: { id, name: `Site ${id}`, type: "http" },
        msg: "[Site] down",
        ...more,
      });

    it("show which monitor is down, and how many", async () => {
      await beat(1, 0);
      assert.deepEqual(await shown(), ["Site 1\ntimeout", "firing", "fail"]);
      await beat(2, 2);
      assert.deepEqual(await shown(), ["2 firing\nSite 1\nSite 2", "firing", "fail"]);
      await beat(1, 1);
      assert.deepEqual(await shown(), ["Site 2\ntimeout", "firing", "warn"]);
      await beat(2, 3);
      assert.deepEqual(await shown(), ["Site 2", "resolved", "ok"]);
    });

    it("are news when what was seen is worse, or fires again, also after a restart", async () => {
      const state = async () => (await held()).state;
      await beat(1, 2);
      await see();
      await beat(1, 2);
      assert.equal(await state(), "acknowledged");
      await beat(1, 0);
      assert.equal(await state(), "firing");
      await see();
      await beat(2, 2);
      await see();
      await beat(2, 1);
      assert.equal(await state(), "acknowledged");
      await beat(2, 2);
      assert.equal(await state(), "firing");
      await beat(2, 1);
      await beat(1, 1);
      await beat(1, 2);
      await see();
      await world().restart();
      await beat(1, 2);
      assert.equal(await state(), "acknowledged");
      await world().restart();
      await beat(1, 0);
      assert.equal(await state(), "firing");
      await beat(1, 1);
      assert.equal(await state(), "resolved");
    });

    it("show a test for a minute, where nothing is covered by it", async () => {
      const test = { heartbeat: null, monitor: null, msg: "Testing" };
      assert.equal((await post("uptime-kuma", test)).status, 200);
      assert.deepEqual(await shown(), ["Testing", "live", undefined]);
      await beat(1, 0);
      await post("uptime-kuma", test);
      assert.equal((await held()).state, "firing");
    });

    const of = (name: string, hostname: string) => ({ monitor: { id: 10, name, hostname } });

    it("keep the monitors of two servers apart, and one that is renamed together", async () => {
      await beat(10, 0, of("Shop", "shop.example"));
      assert.equal((await beat(10, 0, of("NAS", "192.0.2.7"))).json.firing, 2);
      assert.equal((await beat(10, 1, of("NAS", "192.0.2.7"))).json.firing, 1);
      assert.deepEqual((await shown()).slice(1), ["firing", "fail"]);
      await beat(10, 0, of("Store", "shop.example"));
      assert.equal((await beat(10, 1, of("Store", "www.shop.example"))).json.firing, 0);
    });

    it("warn of a certificate until that is seen, whatever is well beside it", async () => {
      const expiry = (days: number) =>
        post("uptime-kuma", {
          heartbeat: null,
          monitor: null,
          msg: `[Shop][https://shop.example] server certificate shop.example will expire in ${days} days`,
        });
      await beat(1, 1);
      assert.equal((await expiry(14)).json.firing, 1);
      assert.deepEqual((await shown()).slice(1), ["firing", "warn"]);
      await beat(1, 1);
      assert.match((await shown())[0], /^Shop\n.*will expire in 14 days$/);
      assert.equal((await expiry(7)).json.firing, 1);
      await see();
      assert.deepEqual(await shown(), ["Shop", "resolved", "ok"]);
      await expiry(3);
      await beat(1, 0);
      assert.deepEqual((await shown()).slice(1), ["firing", "fail"]);
      await see();
      assert.equal((await held()).state, "acknowledged");
      await beat(1, 1);
      assert.equal((await held()).state, "resolved");
    });

    it("take the token in the address, for where no header can be set", async () => {
      const path = `/hooks/uptime-kuma/mon?token=${token}`;
      const reply = await owner.ask("POST", path, { msg: "Testing" });
      assert.equal(reply.status, 200);
    });
  });

  it("are refused as a push is", async () => {
    assertError(await owner.ask("POST", "/hooks/other/mon", {}), 404, "not_found");
    assertError(await owner.ask("GET", "/hooks/uptime-kuma/mon"), 405, "method_not_allowed");
    assertError(await owner.ask("POST", "/hooks/uptime-kuma/-x", {}), 400, "invalid_channel");
    assertError(await owner.ask("POST", "/hooks/uptime-kuma/mon", {}), 401, "unauthorized");
    assertError(await post("uptime-kuma", "{"), 400, "invalid_json");
  });
});
