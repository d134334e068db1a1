import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { silentLog } from "../../appliance/base/log.ts";
import type { Cancel } from "../../appliance/base/signal.ts";
import { type Issued, identifierOf } from "../../appliance/links/public/acme/certificate.ts";
import type { ChallengeResponder } from "../../appliance/links/public/acme/challenge.ts";
import { Acme } from "../../appliance/links/public/acme/client.ts";
import { AcmeFailed, type Validation } from "../../appliance/links/public/acme/problem.ts";
import { askWith } from "../../appliance/links/public/ask.ts";
import { Keys } from "../../appliance/links/public/keys.ts";
import { makeCertificates } from "./certificates.ts";
import { FakeCa } from "./fake-ca.ts";
import { FakeClock } from "./fake-clock.ts";

/** The longest time of an answer. */
export const PATIENCE = 20_000;

/** Waits between polls are over at once; how long an answer takes, a test says. */
class PollingClock extends FakeClock {
  readonly waits: number[] = [];
  /** Called when somebody waits, instead. */
  onWait: (() => void) | undefined;

  override after(ms: number, task: () => void): Cancel {
    if (ms === PATIENCE) return super.after(ms, task);
    this.waits.push(ms);
    setImmediate(this.onWait ?? (() => this.advance(ms)));
    return super.after(ms, task);
  }
}

const NAME = "tally.example.org";

/** A box that orders of a fake CA; a new one for each test of the suite around it. */
export class AcmeWorld {
  readonly ca: FakeCa;
  /** Begins at the machine's time, for openssl signs by that. */
  readonly clock = new PollingClock(Date.now());
  /** Which challenges were shown, oldest first. */
  readonly shown: string[] = [];
  readonly stop = new AbortController();
  readonly #keys: Keys;
  /** The number shown now. */
  #open = 0;

  private constructor(ca: FakeCa, folder: string) {
    this.ca = ca;
    this.#keys = new Keys({ folder, log: silentLog() });
  }

  static each(begin: (world: AcmeWorld) => void): void {
    let folder = "";
    let world: AcmeWorld | undefined;
    before(() => {
      folder = mkdtempSync(join(tmpdir(), "tallydeck-test-"));
      makeCertificates(folder);
    });
    beforeEach(async () => {
      world = new AcmeWorld(await FakeCa.open(folder), join(folder, "tls"));
      begin(world);
    });
    afterEach(() => world?.ca.close());
    after(() => rmSync(folder, { recursive: true, force: true }));
  }

  acme(more: { agreed?: boolean; directory?: string } = {}): Acme {
    const { ca, clock } = this;
    const ask = askWith({ clock, ca: ca.ca, userAgent: "Tallydeck/test" });
    const show = (type: string) => {
      this.shown.push(type);
      this.#open++;
      return () => void this.#open--;
    };
    const presenter: ChallengeResponder = {
      tlsAlpn: () => show("tls-alpn-01"),
      http: () => show("http-01"),
    };
    const keys = this.#keys;
    return new Acme({
      directory: ca.directory,
      ask,
      keys,
      presenter,
      clock,
      agreed: true,
      ...more,
    });
  }

  order(
    { replaces }: { replaces?: string } = {},
    name = NAME,
    acme: Acme = this.acme(),
  ): Promise<Issued> {
    return acme.order(identifierOf(name), replaces, this.stop.signal);
  }

  test(acme: Acme = this.acme()): Promise<Validation> {
    return acme.test(identifierOf(NAME), this.stop.signal);
  }

  /** The failure of an order, after which no challenge may be left. */
  async failed(asked: Promise<unknown>): Promise<AcmeFailed> {
    const error = await asked.then(
      () => assert.fail("it did not fail"),
      (reason: unknown) => reason,
    );
    assert.ok(error instanceof AcmeFailed, String(error));
    assert.equal(this.#open, 0);
    return error;
  }

  async failsFor(asked: Promise<unknown>, kind: AcmeFailed["kind"]): Promise<void> {
    const failure = await this.failed(asked);
    assert.equal(failure.kind, kind, failure.message);
  }
}
