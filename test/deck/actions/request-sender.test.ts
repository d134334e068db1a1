import assert from "node:assert/strict";
import { createLog } from "../../../appliance/base/log.ts";
import type { Cancel } from "../../../appliance/base/signal.ts";
import {
  type OutgoingRequest,
  type RequestOutcome,
  RequestSender,
  sendOnce,
} from "../../../appliance/deck/actions/request-sender.ts";
import { Callee } from "../../helpers/callee.ts";
import { FakeClock } from "../../helpers/fake-clock.ts";

/** Tells who waits for how long. */
class WatchedClock extends FakeClock {
  readonly waits: number[] = [];
  #wake: (() => void)[] = [];

  override after(ms: number, task: () => void): Cancel {
    this.waits.push(ms);
    for (const wake of this.#wake.splice(0)) wake();
    return super.after(ms, task);
  }

  /** Lets so much time pass once somebody has begun to wait, for the time after these. */
  async passAfter(...waits: number[]): Promise<void> {
    while (this.waits.length < waits.length)
      await new Promise<void>((resolve) => this.#wake.push(resolve));
    assert.deepEqual(this.waits, waits);
    this.advance(waits.at(-1) ?? 0);
  }
}

const OK: RequestOutcome = { ok: true, word: "204" };
const failed = (word: string): RequestOutcome => ({ ok: false, word });
const TRY = 5_000;

describe("a request of a key", () => {
  let callee: Callee;
  let clock: WatchedClock;
  let outgoing: RequestSender;
  let allowed: Set<string>;
  let said: string[];
  beforeEach(async () => {
    callee = await Callee.start();
    clock = new WatchedClock();
    allowed = new Set([callee.origin]);
    said = [];
    let ids = 0;
    outgoing = new RequestSender({
      userAgent: "Tallydeck/1.2.3",
      clock,
      log: createLog((line) => said.push(line)),
      send: sendOnce,
      isAllowed: (origin) => allowed.has(origin),
      randomId: () => `id ${++ids}`,
    });
  });
  afterEach(async () => {
    outgoing.close();
    await callee.stop();
  });

  const send = (more: Partial<OutgoingRequest> = {}): Promise<RequestOutcome> =>
    outgoing.send({ method: "POST", url: `${callee.origin}/door?a=1`, headers: {}, ...more });

  it("arrives once and whole", async () => {
    const body = Buffer.from("Tür");
    const headers = { authorization: "Bearer x", "content-type": "text/plain" };
    assert.deepEqual(await send({ headers, body }), OK);
    const [came] = callee.called;
    assert.deepEqual([came?.method, came?.path, came?.body], ["POST", "/door?a=1", "Tür"]);
    assert.deepEqual(
      ["authorization", "content-length", "idempotency-key", "connection"].map(
        (name) => came?.headers[name],
      ),
      ["Bearer x", "4", "id 1", "close"],
    );
    assert.equal(callee.called.length, 1);
    assert.equal(clock.timers, 0);
  });

  it("says what sends it, unless the owner says something else", async () => {
    await send();
    await send({ headers: { "User-Agent": "deck" } });
    const found = callee.called.map(({ headers }) => headers["user-agent"]);
    assert.deepEqual(found, ["Tallydeck/1.2.3", "deck"]);
  });

  it("without a body has none", async () => {
    await send({ method: "DELETE" });
    assert.deepEqual([callee.called[0]?.method, callee.called[0]?.body], ["DELETE", ""]);
  });

  it("is tried three times where the server fails, with one key", async () => {
    callee.answers = [500, 503, 204];
    const sent = send();
    await clock.passAfter(TRY, 500);
    await clock.passAfter(TRY, 500, TRY, 2_000);
    assert.deepEqual(await sent, OK);
    const found = callee.called.map(({ headers }) => headers["idempotency-key"]);
    assert.deepEqual(found, ["id 1", "id 1", "id 1"]);
    await send();
    assert.equal(callee.called.at(-1)?.headers["idempotency-key"], "id 2");
  });

  it("fails with the last status, and the log says so without the address", async () => {
    callee.answers = [500, 500, 502];
    const sent = send();
    await clock.passAfter(TRY, 500);
    await clock.passAfter(TRY, 500, TRY, 2_000);
    assert.deepEqual(await sent, failed("502"));
    assert.deepEqual(said, ["warn: A request failed: 502"]);
  });

  for (const status of [400, 401, 404, 429])
    it(`is not tried again after ${status}`, async () => {
      callee.answers = [status];
      assert.deepEqual(await send(), failed(String(status)));
      assert.equal(callee.called.length, 1);
    });

  for (const status of [301, 302, 307, 308])
    it(`follows no redirect, which is ${status}`, async () => {
      callee.answers = [
        (response) => response.writeHead(status, { location: `${callee.origin}/other` }).end(),
      ];
      assert.deepEqual(await send(), failed(String(status)));
      assert.equal(callee.called.length, 1);
    });

  it("is given up after five seconds without an answer", async () => {
    callee.answers = [() => {}];
    const sent = send();
    await callee.times(1);
    await clock.passAfter(TRY);
    await clock.passAfter(TRY, 500);
    await callee.times(2);
    await clock.passAfter(TRY, 500, TRY);
    await clock.passAfter(TRY, 500, TRY, 2_000);
    await callee.times(3);
    await clock.passAfter(TRY, 500, TRY, 2_000, TRY);
    assert.deepEqual(await sent, failed("no answer"));
  });

  it("is tried again where the server hangs up", async () => {
    callee.answers = [(response) => response.destroy(), 204];
    const sent = send();
    await clock.passAfter(TRY, 500);
    assert.deepEqual(await sent, OK);
  });

  it("says that nobody listens", async () => {
    const url = `${callee.origin}/`;
    await callee.stop();
    const sent = send({ url });
    await clock.passAfter(TRY, 500);
    await clock.passAfter(TRY, 500, TRY, 2_000);
    assert.deepEqual(await sent, failed("refused"));
    callee = await Callee.start();
  });

  it("reads no more than 64 kB of an answer that does not end", async () => {
    let wrote = 0;
    callee.answers = [
      (response) => {
        const more = () => {
          while (!response.destroyed && response.write(Buffer.alloc(16_384))) wrote += 16_384;
          wrote += 16_384;
        };
        response.writeHead(200).on("drain", more);
        more();
      },
    ];
    assert.deepEqual(await send(), { ok: true, word: "200" });
    // Sockets hold some more.
    assert.ok(wrote < 32 * 1_048_576, `${wrote} bytes were written`);
    while ((await callee.connections()) > 0) await new Promise(setImmediate);
  });

  it("is done with the status where the body stops in the middle", async () => {
    callee.answers = [
      (response) => {
        response.writeHead(200, { "content-length": "10" });
        response.write("half");
        response.socket?.end();
      },
    ];
    assert.deepEqual(await send(), { ok: true, word: "200" });
  });

  it("goes nowhere that is not allowed", async () => {
    allowed.clear();
    assert.deepEqual(await send(), failed("not allowed"));
    assert.deepEqual(await send({ url: "gopher://127.0.0.1/" }), failed("not allowed"));
    assert.equal(callee.called.length, 0);
  });

  it("is not tried again once its origin is taken from the list", async () => {
    callee.answers = [500];
    const sent = send();
    await callee.times(1);
    allowed.clear();
    await clock.passAfter(TRY, 500);
    assert.deepEqual(await sent, failed("not allowed"));
    assert.equal(callee.called.length, 1);
  });

  it("is one of sixteen at most", async () => {
    callee.answers = [() => {}];
    const sent = Array.from({ length: 16 }, () => send());
    assert.deepEqual(await send(), failed("busy"));
    await callee.times(16);
    outgoing.close();
    assert.deepEqual(await Promise.all(sent), Array(16).fill(failed("no answer")));
    assert.equal(clock.timers, 0);
    assert.deepEqual(await send(), failed("stopped"));
    assert.deepEqual(said, []);
  });
});
