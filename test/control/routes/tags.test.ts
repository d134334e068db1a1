import assert from "node:assert/strict";
import { tallydeck } from "../../helpers/command-line.ts";
import { CountingPlace } from "../../helpers/counting-place.ts";
import { Owner } from "../../helpers/owner.ts";
import { ADMIN, eachWorld } from "../../helpers/world.ts";

describe("the tag of a site that another place counts", () => {
  const world = eachWorld({ env: { SITES: "", STATS_TOKEN: ADMIN } });
  const owner = Owner.each(world);
  const place = CountingPlace.each(world, "theirs,other");

  const add = async (line?: string) => {
    const invitation = line ?? (await place().invited());
    const reply = await owner.ask("POST", "/api/places", { invitation, name: "Frankfurt" });
    assert.equal(reply.status, 201, reply.text);
  };
  const places = async () => (await owner.get("/api/places")).places;
  const isAnswered = () => place().until(async () => (await places())[0].answeredAt !== null);
  const makeSite = (id: string, host?: string) =>
    owner.ask("POST", "/api/sites", { id, ...(host && { host }) });
  const placeOf = async (id: string) =>
    (await owner.get("/api/sites")).sites.find((site: { id: string }) => site.id === id).place;
  const at = (site: string) => ({ name: "Frankfurt", url: place().address, site });
  const asked = async (site: string, token = ADMIN) =>
    (await world().read("/public-address", { site }, token)).place;

  it("names it, before the place knows the site, and no more once it is removed", async () => {
    await makeSite("mine");
    assert.equal(await placeOf("mine"), null);
    await add();
    await isAnswered();
    assert.deepEqual(await placeOf("mine"), at("mine"));
    assert.deepEqual((await makeSite("new")).json.place, at("new"));
    const [{ id }] = await places();
    assert.equal((await owner.ask("DELETE", `/api/places/${id}`)).status, 204);
    assert.equal(await placeOf("mine"), null);
  });

  it("does not name one that has never answered", async () => {
    await makeSite("mine");
    const line = await place().invited();
    await place().world.stop();
    await add(line);
    await place().until(async () => (await places())[0].problem !== null);
    assert.equal(await placeOf("mine"), null);
  });

  it("has the id that the site has there, and none where it is not counted there", async () => {
    for (const id of ["ours", "other", "third"]) await makeSite(id);
    await add();
    await isAnswered();
    await place().until(async () => (await places())[0].sites.length >= 4);
    const [{ id }] = await places();
    const sites = [
      { id: "theirs", as: "ours" },
      { id: "other", as: null },
      { id: "third", as: null },
    ];
    assert.equal((await owner.ask("PATCH", `/api/places/${id}`, { sites })).status, 200);
    await place().until(async () => (await placeOf("ours"))?.site === "ours");
    assert.equal(await placeOf("other"), null);
    const chosen = (await places())[0].sites.filter((site: { isNone: boolean }) => site.isNone);
    assert.deepEqual(chosen.map((site: { id: string; as: null }) => [site.id, site.as]).sort(), [
      ["other", null],
      ["third", null],
    ]);
    const { out } = await tallydeck(["places", ...world().dataArgs]);
    assert.match(out, /\n {2}other: none of the sites here, as chosen\n/);
    const onlyTheirs = [{ id: "ours", as: null }];
    await owner.ask("PATCH", `/api/places/${id}`, { sites: onlyTheirs });
    await place().until(async () => (await placeOf("ours"))?.site === "theirs");
    assert.deepEqual(await asked("ours"), at("theirs"));
  });

  it("is told who may read the site, and nobody else", async () => {
    await makeSite("mine");
    await add();
    await isAnswered();
    const { token } = (await owner.ask("POST", "/api/sites/mine/token")).json;
    assert.deepEqual(await asked("mine", token), at("mine"));
    for (const [site, wrong] of [
      ["mine", "a-guess"],
      ["nobodys", token],
      ["nobodys", ADMIN],
    ])
      assert.equal(await asked(site ?? "", wrong), null, `${site} ${wrong}`);
    await makeSite("own", "own.example");
    assert.deepEqual(await world().read("/public-address", { site: "own" }), {
      url: "https://own.example",
      place: null,
    });
    assert.deepEqual((await world().ask("/public-address")).json, { url: null, place: null });
  });

  it("may be tried from the setup page: that page alone may ask there", async () => {
    const policy = async (path: string) =>
      /connect-src [^;]*/.exec(
        String((await world().ask(path)).headers["content-security-policy"]),
      )?.[0];
    assert.equal(await policy("/help"), "connect-src 'self'");
    await add();
    await isAnswered();
    assert.equal(await policy("/help"), `connect-src 'self' ${place().address}`);
    assert.equal(await policy("/dashboard"), "connect-src 'self'");
  });

  it("is printed by the command that adds the site, which names who counts it", async () => {
    const added = async (...args: string[]) => {
      const { out, err } = await tallydeck(["sites", "add", ...args, ...world().dataArgs]);
      assert.equal(err, "");
      return out;
    };
    await add();
    await isAnswered();
    assert.equal(
      await added("mine"),
      `Added mine. Put this on its pages, which Frankfurt counts:\n\n  <script defer src="${place().address}/s.js" data-site="mine"></script>\n\n`,
    );
    assert.match(
      await added("own", "--host", "own.example"),
      /src="https:\/\/own\.example\/s\.js"/,
    );
  });
});
