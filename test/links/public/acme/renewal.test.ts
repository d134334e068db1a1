import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import type { RenewalInfo } from "../../../../appliance/links/public/acme/renewal.ts";
import { AcmeWorld } from "../../../helpers/acme-world.ts";

const MINUTE = 60_000;
const WINDOW = { start: "2027-01-03T00:00:00Z", end: "2027-01-05T12:00:00.5+01:00" };

describe("when a certificate is to be renewed", () => {
  let box: AcmeWorld;
  let chain: string;
  AcmeWorld.each((world) => {
    box = world;
    box.ca.window = WINDOW;
  });
  const ask = async (): Promise<RenewalInfo | undefined> => {
    chain ??= (await box.order()).chain;
    return box.acme().renewalInfo(chain, box.stop.signal);
  };

  it("is asked of the CA by the certificate's signer and number", async () => {
    assert.deepEqual(await ask(), {
      start: Date.UTC(2027, 0, 3),
      end: Date.UTC(2027, 0, 5, 11, 0, 0, 500),
      retryAfterMs: 360 * MINUTE,
    });
    const [id = ""] = box.ca.renewals;
    const [signer = "", number = ""] = id.split(".");
    const { serialNumber } = new X509Certificate(chain);
    const isNegative = Number.parseInt(serialNumber.slice(0, 1), 16) >= 8;
    assert.equal(
      Buffer.from(number, "base64url").toString("hex").toUpperCase(),
      isNegative ? `00${serialNumber}` : serialNumber,
    );
    assert.equal(Buffer.from(signer, "base64url").length, 20);
  });

  it("is not known where the CA has no such advice, or the certificate no signer", async () => {
    await ask();
    box.ca.always.directory = ({ body }) => ({
      body: { ...(body as object), renewalInfo: undefined },
    });
    assert.equal(await ask(), undefined);
    delete box.ca.always.directory;
    assert.equal(await box.acme().renewalInfo("no certificate", box.stop.signal), undefined);
    assert.equal(box.ca.renewals.length, 1);
  });

  it("is asked again after at least a minute, and within a day", async () => {
    for (const [said, minutes] of [
      ["0", 1],
      ["7200", 120],
      ["99999999", 24 * 60],
      ["soon", 360],
    ] as const) {
      box.ca.always.renewal = (right) => ({ ...right, headers: { "retry-after": said } });
      assert.equal((await ask())?.retryAfterMs, minutes * MINUTE, said);
    }
  });

  it("may be over already, which means at once", async () => {
    box.ca.window = { start: "2020-01-01T00:00:00Z", end: "2020-01-02T00:00:00Z" };
    assert.equal((await ask())?.end, Date.UTC(2020, 0, 2));
  });

  it("is not believed where it is none", async () => {
    const wrong = [
      undefined,
      7,
      {},
      { start: WINDOW.end, end: WINDOW.start },
      { start: WINDOW.start, end: WINDOW.start },
      { start: "tomorrow", end: WINDOW.end },
      { start: 0, end: 1 },
      { start: "2027-99-03T00:00:00Z", end: WINDOW.end },
    ];
    for (const window of wrong) {
      box.ca.window = window;
      await box.failsFor(ask(), "bad-answer");
    }
  });
});
