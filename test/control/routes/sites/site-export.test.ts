import assert from "node:assert/strict";
import { request } from "node:http";
import { setTimeout } from "node:timers/promises";
import { gunzipSync } from "node:zlib";
import { onOneEngine } from "../../../helpers/engines.ts";
import { eachFolder } from "../../../helpers/folder.ts";
import { assertError, Owner } from "../../../helpers/owner.ts";
import { daysFrom, Importer, plausibleBytes } from "../../../helpers/uploading.ts";
import { eachWorld } from "../../../helpers/world.ts";

onOneEngine(() => {
  describe("the export of a site over HTTP", () => {
    const world = eachWorld();
    const folder = eachFolder();
    const owner = Owner.each(world);
    beforeEach(async () => {
      const importer = new Importer(owner);
      const bytes = await plausibleBytes(folder(), daysFrom("2026-02-01", 3));
      await importer.done(await importer.send(bytes), "bring");
    });
    const exported = (format: string) =>
      owner.ask("GET", `/api/sites/blog/export?format=${format}`);
    /** Asks, reads a little at most, and leaves. */
    const leave = async (method: string) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const { port } = world().service.control;
      const path = "/api/sites/blog/export?format=jsonl";
      const sent = request({ port, path, method, agent: false }, () => resolve());
      sent.once("error", () => resolve()).end();
      await (method === "HEAD" ? promise : setTimeout(60));
      sent.destroy();
    };

    it("is a file with the name that the command line gives it", async () => {
      for (const [format, name] of [
        ["plausible", "blog_20260304.zip"],
        ["csv", "blog_20260304.csv.gz"],
        ["jsonl", "blog_20260304.jsonl.gz"],
      ] as const) {
        const reply = await exported(format);
        assert.equal(reply.status, 200, reply.text);
        assert.equal(reply.headers["content-disposition"], `attachment; filename="${name}"`);
        assert.equal(reply.headers["cache-control"], "no-store");
        if (format === "csv")
          assert.match(gunzipSync(reply.body).toString(), /^"2026-02-01","all","",30,10,12$/m);
      }
    });

    it("can be imported into another site", async () => {
      const { body } = await exported("jsonl");
      assert.equal((await owner.ask("POST", "/api/sites", { id: "other" })).status, 201);
      const importer = new Importer(owner, "other");
      const done = await importer.done(await importer.send(body, "it.jsonl.gz"), "bring");
      assert.deepEqual([done.state, done.problem], ["done", null]);
      const stats = await world().stats({ site: "other", from: "2026-02-01", to: "2026-02-03" });
      assert.deepEqual(stats.pv, { _: 90 });
    });

    it("ends with who leaves, so that the next one may ask", async () => {
      for (const method of ["GET", "HEAD"]) {
        await leave(method);
        for (;;) {
          const { status } = await exported("csv");
          if (status === 200) break;
          assert.equal(status, 409);
          await setTimeout(20);
        }
      }
    });

    it("is one at a time", async () => {
      const both = await Promise.all([exported("jsonl"), exported("jsonl")]);
      assert.deepEqual(both.map(({ status }) => status).sort(), [200, 409]);
      const busy = both.find(({ status }) => status === 409);
      assert.ok(busy);
      assertError(busy, 409, "busy");
    });

    it("is refused for what cannot be", async () => {
      for (const query of ["", "?format=", "?format=xml", "?format=--to", "?format=toString"])
        assertError(await owner.ask("GET", `/api/sites/blog/export${query}`), 400, "invalid_field");
      assertError(await owner.ask("GET", "/api/sites/none/export?format=csv"), 404, "not_found");
    });
  });
});
