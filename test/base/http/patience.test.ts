import assert from "node:assert/strict";
import { until } from "../../helpers/until.ts";
import { get, HUGE, post, stages, UPLOAD_BYTES, upload } from "./holding-stage.ts";

/** The most that the system holds for a connection, on both its sides. */
const SYSTEM_BYTES = 12_000_000;

describe("the connections that a listener is patient with", () => {
  const stage = stages();

  describe("end", () => {
    it("two seconds after a refusal, though the client never closes", async () => {
      const { listener, knock, clock } = await stage();
      const wire = await knock();
      wire.send("nonsense\r\n\r\n");
      await wire.hear("bad_request");
      assert.equal(listener.connections, 1);
      clock.advance(2_000);
      await until(() => listener.connections === 0);
    });

    it("two seconds after a client that says nothing was told that it is late", async () => {
      const { listener, knock, clock } = await stage({
        patience: {
          requestTimeout: 60,
          headersTimeout: 60,
          keepAliveTimeout: 75_000,
          connectionsCheckingInterval: 20,
        },
      });
      const wire = await knock();
      await wire.hear("request_timeout");
      clock.advance(2_000);
      await until(() => listener.connections === 0);
    });

    it("when a body does not come within twenty seconds", async () => {
      const { listener, asked, knock, clock } = await stage();
      const wire = await knock();
      wire.send(post("/", '{"a":'));
      await until(() => asked.length === 1);
      clock.advance(15_000);
      wire.send("1");
      clock.advance(5_000);
      assert.match(await wire.hear("request_timeout"), /^HTTP\/1\.1 408 /);
      clock.advance(2_000);
      await until(() => listener.connections === 0);
    });

    it("when an upload does not come within half an hour, and no sooner", async () => {
      const { asked, received, knock, clock } = await stage();
      const [quick, slow] = [await knock(), await knock()];
      for (const wire of [quick, slow]) wire.send(upload);
      await until(() => asked.length === 2);
      const [minutes, most] = [28, 30];
      for (let minute = 1; minute <= minutes; minute++) {
        for (const wire of [quick, slow]) wire.send(" ");
        await until(() => received() === 2 * minute);
        clock.advance(60_000);
      }
      quick.send('"b"'.padEnd(UPLOAD_BYTES - minutes));
      assert.match(await quick.hear("ok"), /^HTTP\/1\.1 200 /);
      slow.send(" ");
      await until(() => received() === UPLOAD_BYTES + minutes + 1);
      clock.advance((most - minutes) * 60_000);
      assert.match(await slow.hear("request_timeout"), /^HTTP\/1\.1 408 /);
      for (const wire of [quick, slow]) wire.drop();
    });

    it("when nothing comes of an upload for two minutes", async () => {
      const { listener, asked, knock, clock } = await stage();
      const wire = await knock();
      wire.send(upload);
      await until(() => asked.length === 1);
      clock.advance(125_000);
      assert.match(await wire.hear("request_timeout"), /^HTTP\/1\.1 408 /);
      clock.advance(2_000);
      await until(() => listener.connections === 0);
    });

    it("when the client takes nothing of its answer for thirty seconds", async () => {
      const { listener, asked, knock, clock } = await stage();
      const wire = await knock();
      wire.turnDeaf();
      wire.send(get("/huge"));
      await until(() => asked.length === 1);
      clock.advance(25_000);
      assert.equal(listener.connections, 1);
      clock.advance(15_000);
      await until(() => listener.connections === 0);
      wire.drop();
    });

    it("after a thousand requests, which are all answered", async () => {
      const { asked, knock } = await stage();
      const wire = await knock();
      let heard = "";
      for (let n = 1; n <= 1_000; n++) {
        wire.send(get("/"));
        heard = await wire.hear("\r\n\r\nok", n);
      }
      await wire.closed();
      assert.equal(asked.length, 1_000);
      assert.equal(heard.split("Connection: close").length - 1, 1);
    });

    it("not for a client that takes its answer slowly", async () => {
      const { listener, asked, knock, clock } = await stage();
      const wire = await knock();
      wire.turnDeaf();
      wire.send(get("/huge"));
      await until(() => asked.length === 1);
      for (let part = 0; part < 2; part++) {
        clock.advance(25_000);
        await wire.hearMore(SYSTEM_BYTES);
      }
      clock.advance(25_000);
      assert.equal(listener.connections, 1);
      await wire.hearMore(HUGE.length - wire.heard);
      wire.drop();
    });
  });

  describe("that send requests ahead of their answers", () => {
    it("are answered one request after the other", async () => {
      const { knock, most, asked } = await stage();
      const wire = await knock();
      wire.send(get("/").repeat(64));
      await wire.hear("\r\n\r\nok", 64);
      assert.deepEqual([asked.length, most()], [64, 1]);
      wire.drop();
    });

    it("and read nothing get little of it, and lose their connection", async () => {
      const { listener, asked, knock, clock } = await stage();
      const wire = await knock();
      wire.turnDeaf();
      wire.send(get("/page").repeat(60));
      await until(() => asked.length > 0);
      await until(() => {
        clock.advance(1_000);
        return listener.connections === 0;
      });
      assert.ok(asked.length < 5, `${asked.length} were answered`);
      wire.drop();
    });

    it("far ahead are cut off", async () => {
      const { knock, release } = await stage();
      const wire = await knock();
      wire.send(get("/wait") + get("/").repeat(65));
      assert.equal(await wire.closed(), "");
      release();
    });
  });
});
