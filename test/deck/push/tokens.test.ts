import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { type PushTokenBody, PushTokens } from "../../../appliance/deck/push/tokens.ts";
import { FakeClock } from "../../helpers/fake-clock.ts";
import { MemoryDocuments } from "../../helpers/memory-documents.ts";

describe("push tokens", () => {
  let clock: FakeClock;
  let documents: MemoryDocuments<PushTokenBody>;
  let tokens: PushTokens;

  beforeEach(async () => {
    clock = new FakeClock();
    documents = new MemoryDocuments();
    tokens = await PushTokens.open({ documents, clock, randomBytes });
  });

  const reopen = () => PushTokens.open({ documents, clock, randomBytes });

  it("are made of the service's prefix and 43 characters", async () => {
    const { token, prefix, id } = await tokens.create("CI");
    assert.match(token, /^tdp_[A-Za-z0-9_-]{43}$/);
    assert.equal(prefix, token.slice(4, 10));
    assert.match(id, /^[0-9a-f]{8}$/);
  });

  it("are listed without their plaintext", async () => {
    const { token: _, ...shown } = await tokens.create("  CI  ");
    assert.deepEqual(tokens.list(), [shown]);
    assert.deepEqual(shown, {
      id: shown.id,
      name: "CI",
      prefix: shown.prefix,
      scopes: ["push", "read"],
      createdAt: clock.now(),
      lastUsedAt: null,
    });
  });

  it("are stored as SHA-256 only", async () => {
    const { token, id } = await tokens.create("CI");
    const kept = documents.kept.get(id)?.body;
    assert.equal(kept?.hash, createHash("sha256").update(token).digest("base64url"));
    assert.ok(!JSON.stringify(kept).includes(token.slice(4)));
  });

  it("open the door to their plaintext and to nothing else", async () => {
    const { token, id } = await tokens.create("CI");
    await tokens.create("other");
    assert.equal(tokens.authenticate(token)?.id, id);
    assert.equal(tokens.authenticate(`${token}x`), undefined);
    assert.equal(tokens.authenticate(token.slice(0, -1)), undefined);
    assert.equal(tokens.authenticate(""), undefined);
  });

  it("survive a restart", async () => {
    const { token, id } = await tokens.create("CI");
    assert.equal((await reopen()).authenticate(token)?.id, id);
  });

  it("lose the push scope while paused", async () => {
    const { token, id } = await tokens.create("CI");
    await tokens.setPaused(id, true);
    assert.deepEqual(tokens.authenticate(token)?.scopes, []);
    assert.deepEqual((await reopen()).authenticate(token)?.scopes, []);
    await tokens.setPaused(id, false);
    assert.deepEqual(tokens.authenticate(token)?.scopes, ["push", "read"]);
  });

  it("get a new plaintext when rotated; the old one stops working", async () => {
    const before = await tokens.create("CI");
    const after = await tokens.rotate(before.id);
    assert.equal(after.id, before.id);
    assert.notEqual(after.prefix, before.prefix);
    assert.equal(tokens.authenticate(before.token), undefined);
    assert.equal(tokens.authenticate(after.token)?.id, before.id);
  });

  it("stop working when revoked", async () => {
    const { token, id } = await tokens.create("CI");
    await tokens.revoke(id);
    assert.equal(tokens.authenticate(token), undefined);
    assert.deepEqual((await reopen()).list(), []);
  });

  it("are not found by an id that is not theirs", async () => {
    await assert.rejects(tokens.revoke("00000000"), { code: "not_found" });
    await assert.rejects(tokens.rotate("00000000"), { code: "not_found" });
    await assert.rejects(tokens.setPaused("00000000", true), { code: "not_found" });
  });

  for (const name of ["", "   ", "x".repeat(41)]) {
    it(`refuse the name ${JSON.stringify(name)}`, async () => {
      await assert.rejects(tokens.create(name), { code: "invalid_field", message: /"name"/ });
    });
  }

  it("count the characters of a name as people do", async () => {
    assert.equal((await tokens.create("🚀".repeat(40))).name, "🚀".repeat(40));
  });

  it("are sixteen at most, also when asked for all at once", async () => {
    const made = await Promise.allSettled(
      Array.from({ length: 20 }, (_, n) => tokens.create(`t${n}`)),
    );
    assert.equal(made.filter(({ status }) => status === "fulfilled").length, 16);
    await assert.rejects(tokens.create("one more"), { code: "token_limit" });
    assert.equal(documents.kept.size, 16);
  });

  it("make room again when one is revoked", async () => {
    const made = [];
    for (let n = 0; n < 16; n++) made.push(await tokens.create(`t${n}`));
    await tokens.revoke(made[3]?.id ?? "");
    assert.equal((await tokens.create("one more")).name, "one more");
  });

  it("draw another id when the first is taken", async () => {
    const draws = [1, 1, 2];
    const scripted = (size: number) =>
      size === 4 ? Buffer.alloc(4, draws.shift()) : randomBytes(size);
    tokens = await PushTokens.open({ documents, clock, randomBytes: scripted });
    assert.equal((await tokens.create("a")).id, "01010101");
    assert.equal((await tokens.create("b")).id, "02020202");
  });

  it("remember when they were last used", async () => {
    const { token } = await tokens.create("CI");
    clock.advance(5_000);
    tokens.authenticate(token);
    assert.equal(tokens.list()[0]?.lastUsedAt, clock.now());
  });

  it("do not store every use", async () => {
    const { token } = await tokens.create("CI");
    for (let n = 0; n < 100; n++) tokens.authenticate(token);
    const before = documents.changes;
    clock.advance(60_000);
    await tokens.reload();
    assert.equal(documents.changes - before, 1);
    assert.equal((await reopen()).list()[0]?.lastUsedAt, clock.now() - 60_000);
  });

  it("store the last use at the end", async () => {
    const { token } = await tokens.create("CI");
    tokens.authenticate(token);
    await tokens.close();
    assert.equal((await reopen()).list()[0]?.lastUsedAt, clock.now());
  });

  it("were never used after they were rotated", async () => {
    const { token, id } = await tokens.create("CI");
    tokens.authenticate(token);
    assert.equal((await tokens.rotate(id)).lastUsedAt, null);
  });

  it("stay as they were when the store fails", async () => {
    const { token, id } = await tokens.create("CI");
    documents.fault = new Error("disk full");
    await assert.rejects(tokens.create("second"), /disk full/);
    await assert.rejects(tokens.rotate(id), /disk full/);
    await assert.rejects(tokens.setPaused(id, true), /disk full/);
    await assert.rejects(tokens.revoke(id), /disk full/);
    assert.equal(tokens.list().length, 1);
    assert.deepEqual(tokens.authenticate(token)?.scopes, ["push", "read"]);
    documents.fault = undefined;
    assert.equal((await tokens.rotate(id)).id, id);
  });

  it("keep a use in memory until the store takes it", async () => {
    const { token } = await tokens.create("CI");
    tokens.authenticate(token);
    const usedAt = clock.now();
    documents.fault = new Error("disk full");
    await assert.rejects(tokens.close(), /disk full/);
    assert.equal(tokens.list()[0]?.lastUsedAt, usedAt);
    documents.fault = undefined;
    await tokens.close();
    assert.equal((await reopen()).list()[0]?.lastUsedAt, usedAt);
  });

  it("follow the store when another process changed it", async () => {
    const elsewhere = await reopen();
    const { token } = await elsewhere.create("by hand");
    assert.equal(tokens.authenticate(token), undefined);
    await tokens.reload();
    assert.equal(tokens.authenticate(token)?.name, "by hand");
  });
});
