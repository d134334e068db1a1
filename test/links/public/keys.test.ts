import assert from "node:assert/strict";
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createLog } from "../../../appliance/base/log.ts";
import { isFor, readChain, readKey } from "../../../appliance/links/public/acme/certificate.ts";
import { Keys, newKey } from "../../../appliance/links/public/keys.ts";
import { makeCertificates } from "../../helpers/certificates.ts";
import { eachFolder } from "../../helpers/folder.ts";

describe("the keys of a public address", () => {
  const base = eachFolder();
  let folder: string;
  let said: string[];
  let keys: Keys;
  beforeEach(() => {
    folder = join(base(), "tls");
    said = [];
    keys = open();
  });

  const open = () => new Keys({ folder, log: createLog((line) => said.push(line)) });
  const issued = () => {
    makeCertificates(base());
    const file = (name: string) => readFileSync(join(base(), name), "utf8");
    return readChain(file("server.pem") + file("ca.pem"), readKey(file("server.key")));
  };

  it("are one for each account, and the same after a restart", async () => {
    const key = await keys.account("https://one.example/dir");
    assert.ok(key.equals(await keys.account("https://one.example/dir")));
    assert.ok(!key.equals(await keys.account("https://two.example/dir")));
    assert.ok(key.equals(await open().account("https://one.example/dir")));
    assert.deepEqual(said, []);
  });

  it("come back with the certificate that they are for", async () => {
    assert.equal(keys.chain(), undefined);
    const { chain, key, notBefore, notAfter } = issued();
    assert.equal(await keys.saveChain({ chain, key }), true);
    const kept = open().chain();
    assert.deepEqual([kept?.chain, kept?.notBefore, kept?.notAfter], [chain, notBefore, notAfter]);
    assert.ok(kept?.key.equals(key));
    assert.ok(isFor({ chain }, { type: "dns", value: "localhost" }));
    assert.ok(!isFor({ chain }, { type: "dns", value: "other.example" }));
    assert.ok(!isFor({ chain }, { type: "ip", value: "127.0.0.1" }));
  });

  it("are nobody else's to read, in a folder that was there before, too", async () => {
    mkdirSync(folder);
    chmodSync(folder, 0o755);
    await keys.account("https://one.example/dir");
    await keys.saveChain(issued());
    await keys.saveRecord({ a: 1 });
    assert.equal(statSync(folder).mode & 0o777, 0o700);
    const files = readdirSync(folder);
    assert.equal(files.length, 3);
    for (const file of files) assert.equal(statSync(join(folder, file)).mode & 0o777, 0o600, file);
  });

  it("come with the record of what was done", async () => {
    assert.equal(keys.record(), undefined);
    await keys.saveRecord({ state: "live" });
    await keys.saveRecord({ state: "renewing" });
    assert.deepEqual(open().record(), { state: "renewing" });
  });

  for (const [what, spoil] of [
    ["torn", (path: string) => writeFileSync(path, readFileSync(path).subarray(0, 60))],
    ["empty", (path: string) => writeFileSync(path, "")],
    ["of another kind", (path: string) => writeFileSync(path, "-----BEGIN PRIVATE KEY-----\nAAAA")],
  ] as const)
    it(`are made anew where a file is ${what}, and the log says so`, async () => {
      const key = await keys.account("https://one.example/dir");
      await keys.saveChain(issued());
      await keys.saveRecord({ a: "b".repeat(100) });
      for (const file of readdirSync(folder)) spoil(join(folder, file));
      const next = open();
      assert.equal(next.chain(), undefined);
      assert.equal(next.record(), undefined);
      const another = await next.account("https://one.example/dir");
      assert.ok(!key.equals(another));
      assert.ok(another.equals(await open().account("https://one.example/dir")));
      assert.equal(said.length, 3);
      for (const line of said)
        assert.match(line, /^warn: The .+ cannot be read: it is made anew\.$/);
    });

  it("are used until the next start where they cannot be written", async () => {
    writeFileSync(folder, "a file where the folder should be");
    const key = await keys.account("https://one.example/dir");
    assert.ok(key.equals(await keys.account("https://one.example/dir")));
    assert.deepEqual([await keys.saveRecord({}), await keys.saveRecord({})], [false, false]);
    assert.equal(said.length, 2);
    assert.match(
      said[1] ?? "",
      /record\.json cannot be written: it is forgotten at the next start/,
    );
  });

  it("are no certificate's with another key, nor with a chain of strangers", () => {
    const { chain, key } = issued();
    assert.throws(() => readChain(chain, newKey()), /for another key/);
    const [leaf = ""] = chain.split(/(?<=END CERTIFICATE-----\n)/);
    assert.throws(() => readChain(leaf + leaf, key), /do not sign each other/);
    assert.throws(() => readChain("", key), /no certificate/);
    assert.throws(() => readChain(chain.repeat(5), key), /too many/);
    assert.throws(() => readChain(chain.repeat(500), key), /too long/);
  });
});
