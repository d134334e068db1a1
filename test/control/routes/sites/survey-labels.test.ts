import assert from "node:assert/strict";
import { changeByHand } from "../../../helpers/by-hand.ts";
import { onOneEngine } from "../../../helpers/engines.ts";
import { assertError, Owner } from "../../../helpers/owner.ts";
import { eachWorld } from "../../../helpers/world.ts";

const LABELS = { 1: { wants: { name: "What next?", options: { pages: "More pages" } } } };
const PATH = "/api/sites/blog/survey-labels";

onOneEngine(() => {
  describe("labels of surveys in the control API", () => {
    const world = eachWorld();
    const owner = Owner.each(world);

    it("are none at first, and are kept as they were given, for a declared site too", async () => {
      assert.deepEqual(await owner.get(PATH), {});
      assert.deepEqual((await owner.ask("PUT", PATH, LABELS)).json, LABELS);
      await world().restart();
      assert.deepEqual(await owner.get(PATH), LABELS);
    });

    it("are none where a card has bent them, and can be given anew", async () => {
      await owner.ask("PUT", PATH, LABELS);
      await world().stop();
      await changeByHand(world(), "UPDATE document SET body = '[' WHERE kind = 'survey_labels'");
      await world().start();
      assert.deepEqual(await owner.get(PATH), {});
      assert.deepEqual((await world().read("/surveys/versions")).labels, {});
      assert.deepEqual((await owner.ask("PUT", PATH, LABELS)).json, LABELS);
    });

    it("come with the versions of the site's surveys", async () => {
      await owner.ask("PUT", PATH, LABELS);
      assert.deepEqual((await world().read("/surveys/versions")).labels, LABELS);
    });

    it("are taken away by an empty object", async () => {
      await owner.ask("PUT", PATH, LABELS);
      await owner.ask("PUT", PATH, {});
      assert.deepEqual(await owner.get(PATH), {});
    });

    const name = "Name";
    const many = (count: number, one: unknown) =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [i + 1, one]));
    for (const [labels, sentence] of [
      [[], '"body" must be an object of at most 100: version → questions.'],
      [{ v1: {} }, '"v1" must be a version: a whole number from 1.'],
      [many(101, {}), '"body" must be an object of at most 100: version → questions.'],
      [{ 1: { "What next": { name } } }, '"1.What next" must be an id: 1 to 32 of a-z, 0-9 and -.'],
      [{ 1: { wants: "Wants" } }, '"1.wants" must be an object with a name, or options, or both.'],
      [{ 1: { wants: { title: name } } }, '"1.wants.title" is no field that is known.'],
      [{ 1: { wants: { name: "" } } }, '"1.wants.name" must be a text of 1 to 128 characters.'],
      [
        { 1: { wants: { options: many(201, name) } } },
        '"1.wants.options" must be an object of at most 200: option → its name.',
      ],
    ] as const)
      it(`are refused with a sentence: ${sentence}`, async () => {
        await owner.ask("PUT", PATH, LABELS);
        const reply = await owner.ask("PUT", PATH, labels);
        assertError(reply, 400, "invalid_field");
        assert.equal(reply.json.error, sentence);
        assert.deepEqual(await owner.get(PATH), LABELS);
      });

    it("are at most 64 kB", async () => {
      const long = { name: "x".repeat(128) };
      const labels = { 1: many(200, long), 2: many(200, long), 3: many(200, long) };
      assertError(await owner.ask("PUT", PATH, labels), 413, "payload_too_large");
    });

    it("go with their site, and another of its name has none", async () => {
      await owner.ask("POST", "/api/sites", { id: "shop" });
      await owner.ask("PUT", "/api/sites/shop/survey-labels", LABELS);
      await owner.ask("DELETE", "/api/sites/shop?confirm=shop");
      assertError(
        await owner.ask("PUT", "/api/sites/shop/survey-labels", LABELS),
        404,
        "not_found",
      );
      assertError(await owner.ask("GET", "/api/sites/shop/survey-labels"), 404, "not_found");
      await owner.ask("POST", "/api/sites", { id: "shop" });
      assert.deepEqual(await owner.get("/api/sites/shop/survey-labels"), {});
    });
  });
});
