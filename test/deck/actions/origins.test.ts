import assert from "node:assert/strict";
import { isRefusal } from "../../../appliance/base/refusal.ts";
import { Origins } from "../../../appliance/deck/actions/origins.ts";
import { MemoryDocuments } from "../../helpers/memory-documents.ts";

describe("allowed origins", () => {
  let documents: MemoryDocuments<object>;
  let origins: Origins;
  beforeEach(async () => {
    documents = new MemoryDocuments();
    await documents.change({ put: [{ id: "http://nas.local", body: {} }] });
    origins = new Origins(documents);
    await origins.load();
  });

  it("are those that are stored, and what the owner adds, in one form", async () => {
    assert.equal(await origins.allow("HTTP://HA.local:8123/"), "http://ha.local:8123");
    assert.equal(await origins.allow("http://ha.local:8123"), "http://ha.local:8123");
    assert.deepEqual(origins.list(), ["http://nas.local", "http://ha.local:8123"]);
    assert.deepEqual([...documents.kept.keys()], origins.list());
    assert.ok(origins.isAllowed("http://ha.local:8123"));
    assert.ok(!origins.isAllowed("https://ha.local:8123"));
  });

  it("are removed", async () => {
    await origins.remove("http://nas.local:80");
    assert.ok(!origins.isAllowed("http://nas.local"));
    await assert.rejects(origins.remove("http://nas.local"), (error) =>
      isRefusal(error, "not_found"),
    );
  });

  for (const address of ["", "nas.local", "http://nas.local/x", "http://nas.local/?a", "ftp://a/"])
    it(`are not what ${address || "nothing"} is`, async () => {
      await assert.rejects(origins.allow(address), (error) => isRefusal(error, "invalid_field"));
    });

  it("are 32 at most", async () => {
    for (let i = 1; i < 32; i++) await origins.allow(`http://h${i}`);
    await assert.rejects(origins.allow("http://h32"), (error) => isRefusal(error, "origin_limit"));
    assert.equal(await origins.allow("http://h31"), "http://h31");
    assert.equal(origins.list().length, 32);
  });

  it("show nothing that could not be stored", async () => {
    documents.fault = new Error("the disk is full");
    await assert.rejects(origins.allow("http://h"));
    assert.deepEqual(origins.list(), ["http://nas.local"]);
  });
});
