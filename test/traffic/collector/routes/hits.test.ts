import assert from "node:assert/strict";
import { onEachEngine } from "../../../helpers/engines.ts";
import { exchange } from "../../../helpers/wire.ts";
import { CHROME, encode, sharedWorld } from "../../../helpers/world.ts";

/** Koa is asked about these; about a GET of a path and a query it is not. */
const NOT_PLAIN = [
  ["a fragment", "GET /e?s=blog&v=# HTTP/1.1"],
  ["no query", "GET /e HTTP/1.1"],
  ["a whole address", "GET http://127.0.0.1/e?s=blog&v= HTTP/1.1"],
] as const;

onEachEngine(() => {
  describe("a hit", () => {
    const world = sharedWorld({ env: { SITES: "blog,notes" } });

    /** All that comes back, but for the time. */
    const answerTo = async (line: string, ...headers: string[]) => {
      const request = [line, "Host: 127.0.0.1", "Connection: close", ...headers, "", ""].join(
        "\r\n",
      );
      return (await exchange(world().port, request)).replace(/^Date: .*\r\n/m, "");
    };

    for (const [what, line] of NOT_PLAIN)
      it(`has the same answer, to the byte, as one with ${what}`, async () => {
        assert.equal(await answerTo("GET /e?s=blog&v= HTTP/1.1"), await answerTo(line));
      });

    it("has the same head when only that is asked for", async () => {
      const whole = await answerTo("GET /a?s=blog HTTP/1.1");
      const head = await answerTo("HEAD /a?s=blog HTTP/1.1");
      assert.equal(whole.slice(0, head.length), head);
      assert.ok(whole.length > head.length);
    });

    it("counts as much as one with a fragment, which is no part of it", async () => {
      const v = encode({ p: "/twin", r: "t.co" });
      for (const target of [`/e?s=blog&v=${v}`, `/e?v=${v}&s=blog#there`])
        await answerTo(`GET ${target} HTTP/1.1`, `User-Agent: ${CHROME}`);
      const { path, ref } = await world().counts("blog");
      assert.deepEqual([path?.["/twin"], ref?.["t.co"]], [2, 2]);
    });

    it("counts the same however its query is written", async () => {
      // Padded by two, one and none; the last with what base64 and queries escape differently.
      for (const [n, p] of ["/w1", "/w22", "/w333", "/w~~>?"].entries()) {
        const v = encode({ p });
        const escaped = encodeURIComponent(v);
        const bare = v.replaceAll("=", "");
        const queries = [
          ...[
            `s=notes&v=${v}`,
            `s=notes&v=${escaped}`,
            `v=${escaped}&s=notes`,
            `v=${bare}&s=notes`,
          ],
          ...[
            `site=notes&v=${escaped}`,
            `s=notes&v=${escaped}&v=e30&s=blog`,
            `%73=notes&%76=${escaped}`,
          ],
          ...[`s=notes&x=1&v=${escaped}`, `v=${escaped}&s=notes&`, `s=notes&v=${escaped}&s=blog`],
          ...[`s=NOTES&v=${escaped}`, `s=%6Eotes&v=${escaped}`],
        ];
        for (const query of queries)
          await answerTo(`GET /e?${query} HTTP/1.1`, `User-Agent: ${CHROME}`);
        // Neither says which of two sites, or anything.
        for (const query of [`v=${escaped}`, `S=notes&v=${escaped}`, `s=notes&V=${escaped}`])
          await answerTo(`GET /e?${query} HTTP/1.1`, `User-Agent: ${CHROME}`);
        const { path } = await world().counts("notes");
        assert.equal(path?.[p.replace("?", "")], queries.length, `${p}: ${JSON.stringify(path)}`);
        assert.equal(path?.["/"], n + 1);
      }
    });

    it("without a host is refused as any request is", async () => {
      assert.match(await exchange(world().port, "GET /e?v= HTTP/1.1\r\n\r\n"), /^HTTP\/1.1 400 /);
    });
  });
});
