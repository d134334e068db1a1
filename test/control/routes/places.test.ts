import assert from "node:assert/strict";
import { DAY_MS } from "../../../appliance/base/calendar.ts";
import { Callee } from "../../helpers/callee.ts";
import { CountingPlace } from "../../helpers/counting-place.ts";
import { assertError, Owner } from "../../helpers/owner.ts";
import { untilTold } from "../../helpers/until.ts";
import { eachWorld } from "../../helpers/world.ts";

/** Nothing listens there. */
const LINE = `tallydeck-place:https://127.0.0.1:9#tdh_${"x".repeat(43)}`;

describe("places in the control API", () => {
  const world = eachWorld();
  const owner = Owner.each(world);
  const PATH = "/api/places";
  const listed = async () => (await owner.get(PATH)).places;
  const add = (body: unknown) => owner.ask("POST", PATH, body);

  it("are none until an invitation is pasted, and stay over a restart", async () => {
    assert.deepEqual(await listed(), []);
    const reply = await add({ invitation: ` ${LINE}\n`, name: "Frankfurt" });
    assert.equal(reply.status, 201);
    const { name, address, lie, answeredAt, sites } = reply.json;
    assert.deepEqual(
      { name, address, lie, answeredAt, sites },
      { name: "Frankfurt", address: "https://127.0.0.1:9", lie: null, answeredAt: null, sites: [] },
    );
    await world().restart();
    assert.deepEqual(
      (await listed()).map((place: { name: string }) => place.name),
      ["Frankfurt"],
    );
  });

  it("say why they cannot be asked", async () => {
    await add({ invitation: LINE });
    await untilTold(async () => (await listed())[0].problem === "the connection was refused");
    assert.equal((await listed())[0].name, "127.0.0.1");
  });

  it("are told of on keys and dashboards once nothing came for ten minutes", async () => {
    await add({ invitation: LINE, name: "Frankfurt" });
    await untilTold(async () => (await listed())[0].problem !== null);
    assert.equal((await listed())[0].isSilent, false);
    assert.equal((await world().stats()).warnings, undefined);
    world().clock.advance(10 * 60_000);
    assert.equal((await listed())[0].isSilent, true);
    assert.deepEqual((await world().stats()).warnings, ["place_silent"]);
    assert.match(world().screen.at(-1) ?? "", /Nothing comes from another place/);
    const { id } = (await listed())[0];
    await owner.ask("DELETE", `${PATH}/${id}`);
    assert.equal((await world().stats()).warnings, undefined);
  });

  describe("with a webhook", () => {
    const place = CountingPlace.each(world, "blog");
    let hook: Callee;
    beforeEach(async () => {
      hook = await Callee.start();
      await owner.ask("POST", "/api/origins", { origin: hook.origin });
    });
    afterEach(() => hook.stop());
    /** The alarms that came: the clock may pass while an answer comes, after which it is told again under the same key. */
    const told = () => {
      const byKey = hook.called.map((one) => [one.headers["idempotency-key"], one.body] as const);
      return [...new Map(byKey).values()].map((body) => JSON.parse(body));
    };
    const setWebhook = async (webhook: unknown) => {
      const [{ id }] = await listed();
      return owner.ask("PUT", `${PATH}/${id}/alarm`, { webhook });
    };
    /** Ten minutes pass without an answer, and the minute of the next look. */
    const passSilently = async () => {
      await untilTold(async () => (await listed())[0].problem !== null);
      for (let minute = 0; minute < 11; minute++) world().clock.advance(60_000);
    };

    it("tell it once that nothing comes, also over a restart, and that they are removed", async () => {
      await add({ invitation: LINE, name: "Frankfurt" });
      const webhook = `${hook.origin}/alarm`;
      assert.deepEqual((await setWebhook(webhook)).json, { webhook });
      assert.equal((await listed())[0].webhook, webhook);
      await passSilently();
      await hook.times(1);
      const { since, ...rest } = told()[0];
      assert.deepEqual(rest, {
        place: "Frankfurt",
        alarm: "silent",
        state: "firing",
        text: "Frankfurt: nothing was fetched for ten minutes: the connection was refused.",
      });
      assert.ok(since <= world().clock.now());
      await world().restart();
      await passSilently();
      const [{ id }] = await listed();
      assert.equal((await owner.ask("DELETE", `${PATH}/${id}`)).status, 204);
      await untilTold(async () => told().length === 2);
      assert.deepEqual(told().slice(1), [
        { ...told()[0], state: "resolved", text: "Frankfurt: it is fetched from no more." },
      ]);
    });

    it("tell it that they are not believed, and that what they count comes again", async () => {
      place().world.clock.jump(3 * DAY_MS);
      await add({ invitation: await place().invited(), name: "Frankfurt" });
      await setWebhook(hook.origin);
      await place().world.beacon({ p: "/" });
      await place().until(async () => (await listed())[0].lie !== null);
      world().clock.advance(60_000);
      await hook.times(1);
      world().clock.jump(3 * DAY_MS);
      const [{ id }] = await listed();
      await owner.ask("PATCH", `${PATH}/${id}`, {});
      await place().until(async () => {
        // The next look comes soon.
        world().clock.advance(5_000);
        return told().length === 2;
      });
      assert.deepEqual(
        told().map(({ alarm, state, text }) => [alarm, state, text]),
        [
          [
            "not_believed",
            "firing",
            "Frankfurt: it is not believed. Some of what it sent is of a day in the future.",
          ],
          ["not_believed", "resolved", "Frankfurt: what it counts comes again."],
        ],
      );
    });

    it("tell nobody once it is taken back", async () => {
      await add({ invitation: LINE });
      await setWebhook(hook.origin);
      assert.deepEqual((await setWebhook(null)).json, { webhook: null });
      await passSilently();
      await untilTold(async () => (await listed())[0].isSilent);
      assert.deepEqual(told(), []);
    });

    it("tell no address that is not allowed", async () => {
      await add({ invitation: LINE });
      for (const webhook of ["https://elsewhere.example/", "ftp://x", 5, undefined])
        assertError(await setWebhook(webhook), 400, "invalid_field");
    });
  });

  it("never show a token", async () => {
    await add({ invitation: LINE });
    assert.ok(!JSON.stringify(await listed()).includes("tdh_"));
  });

  it("are the same with another invitation", async () => {
    const { id } = (await add({ invitation: LINE, name: "Frankfurt" })).json;
    const again = await add({ invitation: LINE.replace("xx", "yy") });
    assert.deepEqual([again.json.id, again.json.name], [id, "Frankfurt"]);
    assert.equal((await listed()).length, 1);
  });

  it("get another name, and are removed", async () => {
    const { id } = (await add({ invitation: LINE })).json;
    const changed = await owner.ask("PATCH", `${PATH}/${id}`, { name: "Paris", makesSites: true });
    assert.deepEqual([changed.json.name, changed.json.makesSites], ["Paris", true]);
    assert.equal((await owner.ask("DELETE", `${PATH}/${id}`)).status, 204);
    assert.deepEqual(await listed(), []);
    assertError(await owner.ask("DELETE", `${PATH}/${id}`), 404, "not_found");
    assertError(await owner.ask("PATCH", `${PATH}/${id}`, {}), 404, "not_found");
  });

  for (const invitation of [
    undefined,
    5,
    "",
    "https://stats.example.com",
    LINE.replace("https:", "http:"),
    LINE.replace("#", "/a#"),
    LINE.replace("#tdh_", "#tdr_"),
    `${LINE}x`,
    LINE.replace("127.0.0.1", "me:secret@127.0.0.1"),
  ])
    it(`are not ${JSON.stringify(invitation)}`, async () => {
      const reply = await add({ invitation });
      assertError(reply, 400, "invalid_field");
      assert.match(reply.json.error, /^"invitation" /);
    });
});
