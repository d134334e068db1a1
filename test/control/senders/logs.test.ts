import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { type Asked, CHROME, WRITERS } from "../../helpers/access-logs.ts";
import { onOneEngine } from "../../helpers/engines.ts";
import { FakeClock } from "../../helpers/fake-clock.ts";
import { assertError, Owner } from "../../helpers/owner.ts";
import { type Ask, eachWorld, type Reply } from "../../helpers/world.ts";

onOneEngine(() =>
  describe("lines of an access log", () => {
    const world = eachWorld(() => ({ clock: new FakeClock("2026-03-04T12:00:00Z") }));
    let authorization: string;
    const owner = Owner.each(world);
    beforeEach(async () => {
      authorization = `Bearer ${(await owner.makePushToken("nginx", "logs")).token}`;
    });

    const send = (
      body: string | Buffer,
      batch: string,
      { path = "blog", headers, ...ask }: Ask & { path?: string } = {},
    ): Promise<Reply> =>
      world().askControl(`/api/logs/${path}`, {
        method: "POST",
        body,
        ...ask,
        headers: { authorization, "batch-id": batch, ...headers },
      });
    const line = (time: string, target: string, more: Partial<Asked> = {}) => {
      const at = Date.parse(`2026-03-${time}Z`);
      const asked = { at, ip: "192.0.2.1", target, agent: CHROME, ...more };
      return `${WRITERS.combined?.(asked)}\n`;
    };
    const sums = async (from = "2026-03-01", to = "2026-03-04") => {
      const { pv, uv, sessions, engaged } = await world().stats({ from, to });
      return [pv, uv, sessions, engaged].map((each) => each?._ ?? 0);
    };

    it("follow what the site leaves out, and say how many do", async () => {
      await owner.ask("PUT", "/api/sites/blog/left-out", { paths: ["/a*"], referrers: ["x.com"] });
      const lines =
        line("04T10:00:00", "/about") +
        line("04T10:01:00", "/b", { referrer: "https://www.x.com/y" }) +
        line("04T10:02:00", "/b");
      const left = {
        "views that the site leaves out by path": 1,
        "views that the site leaves out by referrer": 1,
      };
      assert.deepEqual((await send(lines, "1")).json, { ok: true, views: 1, left });
      await owner.ask("PUT", "/api/sites/blog/left-out", {});
      assert.equal((await send(line("04T10:03:00", "/about"), "2")).json.views, 1);
      assert.deepEqual((await world().stats()).path, { "/b": 1, "/about": 1 });
    });

    it("count at their own time, among what is counted here", async () => {
      const lines =
        line("03T23:50:00", "/a", { referrer: "https://news.ycombinator.com/" }) +
        line("03T23:55:00", "/style.css") +
        line("04T00:10:00", "/b") +
        line("04T11:00:00", "/a", { ip: "192.0.2.2" });
      const { status, json } = await send(lines, "1");
      assert.deepEqual(
        [status, json],
        [
          200,
          {
            ok: true,
            views: 3,
            left: { "requests of images, styles, scripts and other files": 1 },
          },
        ],
      );
      assert.deepEqual(await sums("2026-03-03", "2026-03-03"), [1, 1, 1, 0]);
      assert.deepEqual(await sums("2026-03-04", "2026-03-04"), [2, 2, 1, 1]);
    });

    it("are of one visit however they are split into batches", async () => {
      await send(line("04T10:00:00", "/a"), "1");
      await send(line("04T10:10:00", "/b"), "2");
      await send(line("04T10:20:00", "/a"), "3");
      assert.deepEqual(await sums(), [3, 1, 1, 1]);
    });

    it("count once under one name, also after a start", async () => {
      const lines = line("04T10:00:00", "/a") + line("04T10:00:01", "/b");
      const first = await send(lines, "file:1-2");
      assert.deepEqual((await send(lines, "file:1-2")).json, first.json);
      await world().restart();
      assert.deepEqual((await send(lines, "file:1-2")).json, first.json);
      assert.deepEqual((await sums())[0], 2);
      for (let n = 0; n < 5; n++) await send(line("04T10:00:00", "/a"), `other:${n}`);
      assert.deepEqual((await send(lines, "file:1-2")).json, first.json);
      assert.deepEqual((await sums())[0], 7);
    });

    it("change no session that goes on when they come late", async () => {
      for (const time of ["10:00:00", "10:20:00", "09:55:00", "10:45:00"])
        await send(line(`04T${time}`, "/a"), time);
      assert.deepEqual(await sums(), [4, 1, 1, 1]);
      await send(line("04T08:00:00", "/a"), "earlier");
      await send(line("04T11:00:00", "/a"), "later");
      assert.deepEqual(await sums(), [6, 1, 2, 1]);
    });

    it("change nothing when an old batch comes again after many others", async () => {
      const first = await send(line("04T10:00:00", "/a"), "old");
      for (let n = 1; n < 12; n++)
        await send(line(`04T10:${n * 5}:00`.replace(/:(\d):/, ":0$1:"), "/a"), `${n}`);
      assert.deepEqual((await send(line("04T10:00:00", "/a"), "old")).json, first.json);
      await send(line("04T11:00:00", "/a"), "last");
      assert.deepEqual(await sums(), [13, 1, 1, 1]);
    });

    it("are cut, whatever they hold", async () => {
      const start = line("04T10:00:00", "/a").slice(0, -2);
      const bodies: Record<string, string> = {
        deep: `{"status":${"[".repeat(8_000_000)}`,
        backslashes: `${start}${"\\".repeat(8_000_000)}"`,
        escapes: `${start}${"\\x41".repeat(2_000_000)}"`,
        feeds: "\n".repeat(8_000_000),
        parts: line("04T10:00:00", `/a?utm_source=x${"&a".repeat(4_000_000)}`),
      };
      for (const [name, body] of Object.entries(bodies)) {
        const headers = { "content-encoding": "gzip" };
        const { status, json } = await send(gzipSync(body), name, { headers });
        assert.equal(status, 200, name);
        const left = name === "deep" || name === "parts" ? { "lines that cannot be read": 1 } : {};
        assert.deepEqual(json.left, left, name);
        assert.equal(json.views, "backslashes escapes".includes(name) ? 1 : 0, name);
      }
    });

    it("are read one batch after the other, and no more than eight wait", async () => {
      const all = await Promise.all(
        Array.from({ length: 16 }, (_, n) => send(line("04T10:00:00", "/a"), `${n}`)),
      );
      const statuses = new Set(all.map(({ status }) => status));
      assert.ok(statuses.has(200) && [...statuses].every((each) => each === 200 || each === 429));
      const counted = all.filter(({ status }) => status === 200).length;
      assert.ok(counted >= 8);
      assert.equal((await sums())[0], counted);
    });

    it("count once when they are sent twice at the same time", async () => {
      const lines = line("04T10:00:00", "/a");
      await Promise.all(["x", "x", "x", "y"].map((batch) => send(lines, batch)));
      assert.deepEqual((await sums())[0], 2);
    });

    it("may be packed, have a pattern, and be of a host", async () => {
      const packed = gzipSync(line("04T10:00:00", "/a"));
      const reply = await send(packed, "1", { headers: { "content-encoding": "gzip" } });
      assert.equal(reply.json.views, 1, reply.text);
      const format = encodeURIComponent(
        "$host $remote_addr [$time_iso8601] $status $request_uri $http_user_agent",
      );
      const own = `blog.example 192.0.2.9 [2026-03-04T10:00:00Z] 200 /x ${CHROME}\nother.example 192.0.2.9 [2026-03-04T10:00:00Z] 200 /x ${CHROME}\n`;
      const answer = await send(own, "2", { path: `blog?host=blog.example&format=${format}` });
      assert.deepEqual(answer.json.left, { "requests of the host other.example": 1 });
      assert.equal(answer.json.views, 1);
    });

    it("leave out days before yesterday, and refuse lines that are all of them", async () => {
      const old = line("02T10:00:00", "/a");
      const reply = await send(old + line("04T10:00:00", "/b"), "1");
      assert.deepEqual(reply.json.left, {
        "lines of days before yesterday, which `tallydeck import` brings": 1,
      });
      const refused = await send(old, "2");
      assertError(refused, 400, "too_old");
      assert.match(refused.json.error, /tallydeck import/);
      assert.deepEqual((await sums())[0], 1);
    });

    it("are told to need a pattern where their shape is not known", async () => {
      const { json } = await send('[2026-03-04T10:00:00Z] 200 "GET /a" of 192.0.2.1\n', "1");
      assert.equal(json.views, 0);
      assert.match(json.note, /^What was sent looks like an access log.*--log-format.*"format"/);
      assert.equal((await send(line("04T10:00:00", "/a"), "2")).json.note, undefined);
    });

    it("are refused where they are none, too large or without a name", async () => {
      assertError(await send("x", ""), 400, "invalid_field");
      assertError(await send("x", "1", { path: "nothere" }), 404, "not_found");
      assertError(await send("x", "1", { method: "GET", body: "" }), 405, "method_not_allowed");
      const gzip = { "content-encoding": "gzip" };
      assertError(await send("no gzip", "1", { headers: gzip }), 400, "invalid_body");
      const bomb = gzipSync(Buffer.alloc(17 * 1_048_576));
      assertError(await send(bomb, "1", { headers: gzip }), 413, "payload_too_large");
      const br = { "content-encoding": "br" };
      assertError(await send("x", "1", { headers: br }), 415, "unsupported_media_type");
      assertError(await send("x", "1", { path: "blog?format=$status" }), 400, "invalid_field");
      assert.deepEqual((await send("noise", "1")).json.left, { "lines that cannot be read": 1 });
    });

    it("need a token for them, which does nothing else", async () => {
      const channels = `Bearer ${(await owner.makePushToken()).token}`;
      const wrong = await send("x", "1", { headers: { authorization: channels } });
      assertError(wrong, 403, "insufficient_scope");
      for (const [method, path] of [
        ["POST", "/api/push/door"],
        ["GET", "/api/channels/door"],
      ] as const) {
        const reply = await world().askControl(path, { method, headers: { authorization } });
        assertError(reply, 403, "insufficient_scope");
      }
      const { tokens } = await owner.get("/api/push-tokens");
      const found = tokens.map(({ scopes }: { scopes: string[] }) => scopes);
      assert.deepEqual(found, [["logs"], ["push", "read"]]);
    });
  }),
);
