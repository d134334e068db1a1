import assert from "node:assert/strict";
import Koa from "koa";
import { errorBodies, HttpError } from "../../../appliance/base/http/errors.ts";
import { silentLog } from "../../../appliance/base/log.ts";
import { invalidField, Refusal } from "../../../appliance/base/refusal.ts";
import { askPort } from "../../helpers/world.ts";

describe("what a route refuses", () => {
  let close = () => {};
  afterEach(() => close());

  async function answerTo(error: Error) {
    const app = new Koa();
    app.use(errorBodies(silentLog()));
    app.use(() => {
      throw error;
    });
    const server = app.listen(0);
    close = () => void server.close();
    const { port } = server.address() as { port: number };
    const { status, json, headers } = await askPort(port, "/");
    return { status, json, retryAfter: headers["retry-after"] };
  }

  it("is answered with the sentence, the code and its status", async () => {
    assert.deepEqual(await answerTo(invalidField("name", "is missing.")), {
      status: 400,
      json: { error: '"name" is missing.', code: "invalid_field" },
      retryAfter: undefined,
    });
  });

  it("says when to come back, where that is known", async () => {
    const { status, retryAfter } = await answerTo(new Refusal("storage_unavailable", "Full."));
    assert.deepEqual([status, retryAfter], [503, "60"]);
  });

  it("says when to come back as the refusal knows it, in whole seconds", async () => {
    const full = new Refusal("surveys_full", "Full.", { retryAfter: 100.2 });
    const { status, json, retryAfter } = await answerTo(full);
    assert.deepEqual([status, json.code, retryAfter], [429, "rate_limited", "101"]);
  });

  it("is told apart by its cause where clients know it by one code", async () => {
    const exchange = await answerTo(new Refusal("exchange_busy", "Later."));
    close();
    const reads = await answerTo(new Refusal("reads_busy", "Later."));
    assert.deepEqual([exchange.status, exchange.json.code], [409, "busy"]);
    assert.deepEqual([reads.status, reads.json.code], [503, "busy"]);
  });

  it("may be HTTP's own", async () => {
    assert.equal((await answerTo(new HttpError(418, "teapot", "No."))).status, 418);
  });

  it("is nothing to tell about where it is a fault of ours", async () => {
    const { status, json } = await answerTo(new Error("the secret is 42"));
    assert.deepEqual([status, json.code], [500, "internal_error"]);
    assert.doesNotMatch(json.error, /42/);
  });
});
