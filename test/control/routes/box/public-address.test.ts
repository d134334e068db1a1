import assert from "node:assert/strict";
import { assertError, Owner } from "../../../helpers/owner.ts";
import { FakePublicAddress, stepsTo } from "../../../helpers/public-address.ts";
import { World } from "../../../helpers/world.ts";

describe("the public address over the control API", () => {
  let address: FakePublicAddress;
  let world: World;
  let owner: Owner;
  beforeEach(async () => {
    address = new FakePublicAddress();
    world = new World({ publicAddress: address, env: { VIRTUAL_DECK: "mk2" } });
    await world.start();
    owner = new Owner(world);
  });
  afterEach(() => world.end());

  const put = async (change: object) => {
    const reply = await owner.ask("PUT", "/api/public", change);
    assert.equal(reply.status, 200, reply.text);
    return reply.json;
  };
  const NAMED = { enabled: true, name: "Stats.Example.com", agreed: true };

  it("warns who reads numbers, and makes no view of it for that", async () => {
    address.show({ warnings: ["unreached"] });
    const before = address.views;
    for (let times = 0; times < 3; times++)
      assert.deepEqual((await world.stats()).warnings, ["unreached"]);
    assert.equal(address.views, before);
  });

  it("is off until somebody names it", async () => {
    const { view, ...settings } = await owner.get("/api/public");
    assert.deepEqual(settings, {
      enabled: false,
      name: "",
      agreed: false,
      directory: "",
      ca: "",
      ddns: "",
      ddnsUser: "",
      openPort: true,
      dashboard: false,
      hasToken: false,
      port: 443,
      declared: false,
      terms: "https://letsencrypt.org/repository/",
    });
    assert.deepEqual([view.live, view.url], [false, null]);
  });

  it("is changed part by part, and never tells the provider's token again", async () => {
    await put(NAMED);
    const { name, agreed, hasToken } = await put({ ddns: "desec", ddnsToken: "hush-hush" });
    assert.deepEqual([name, agreed, hasToken], ["stats.example.com", true, true]);
    assert.equal((await put({ dashboard: true })).hasToken, true);
    assert.equal(address.settings.ddnsToken, "hush-hush");
    for (const path of ["/api/public", "/api/settings/export", "/api/diagnostics"])
      assert.ok(!(await owner.ask("GET", path)).body.includes("hush-hush"), path);
  });

  it("forgets the token with the provider it was for", async () => {
    await put({ ...NAMED, ddns: "desec", ddnsToken: "hush-hush" });
    assert.equal((await put({ ddns: "duckdns" })).hasToken, false);
  });

  it("names the field of what cannot be", async () => {
    const reply = await owner.ask("PUT", "/api/public", { name: "tallydeck.local" });
    assertError(reply, 400, "invalid_field");
    assert.match(reply.json.error, /^"name" must be a name in the internet's DNS/);
  });

  it("is changed in the configuration only that names it", async () => {
    address.isDeclared = true;
    assertError(await owner.ask("PUT", "/api/public", NAMED), 409, "declared");
    assert.equal(address.settings.enabled, false);
  });

  it("is tested from the internet ten times an hour", async () => {
    await put(NAMED);
    for (let left = 9; left >= 0; left -= 1)
      assert.equal((await owner.ask("POST", "/api/public/test")).json.view.testsLeft, left);
    const reply = await owner.ask("POST", "/api/public/test");
    assertError(reply, 429, "rate_limited");
    assert.equal(reply.headers["retry-after"], "600");
  });

  it("makes links for a phone, as text and as a code", async () => {
    assertError(await owner.ask("POST", "/api/public/phone"), 409, "no_public_address");
    await put(NAMED);
    const { url, until, code } = (await owner.ask("POST", "/api/public/phone")).json;
    assert.match(url, /^https:\/\/stats\.example\.com\/help\/reached\/[\w-]{22}$/);
    assert.equal(until, world.clock.now() + 600_000);
    assert.ok(code.length > 20 && code.every((row: string) => row.length === code.length));
  });

  it("tells pages that are open whenever it stands otherwise", async () => {
    const events = await owner.listen();
    assert.deepEqual(await events.next("public"), await owner.get("/api/public"));
    address.show({ headline: "The router refuses to open port 443." });
    await events.next("public", ({ view }) => /refuses/.test(view.headline));
    events.close();
  });

  it("warns where dashboards and diagnostics warn, and of no more than there is", async () => {
    address.show({ warnings: ["unreached"] });
    assert.deepEqual((await world.stats()).warnings, ["unreached"]);
    assert.deepEqual((await world.read("/overview")).warnings, ["unreached"]);
    assert.deepEqual((await owner.get("/api/diagnostics")).warnings, ["unreached"]);
    address.show({});
    assert.equal((await world.stats()).warnings, undefined);
  });

  it("shows on a padlock key and on the console how it stands", async () => {
    await put(NAMED);
    const at = "/api/decks/virtual-mk2/slots/k4";
    const picture = async () => (await owner.ask("GET", `${at}/image.png`)).body;
    await owner.ask("PUT", at, { widget: { type: "padlock" } });
    const before = await picture();
    const sentence = "The router refuses to open port 443.";
    address.show({ headline: sentence, steps: stepsTo("port", { state: "wrong", sentence }) });
    assert.notDeepEqual(await picture(), before);
    assert.match(
      world.screen.at(-1) ?? "",
      /Public address: The router refuses to open port 443\.$/,
    );
  });
});
