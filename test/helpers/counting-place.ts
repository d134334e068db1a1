import assert from "node:assert/strict";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { PublicDoor } from "../../appliance/control/public-door.ts";
import { newCertificate } from "./certificates.ts";
import { tallydeck } from "./command-line.ts";
import { FakeClock } from "./fake-clock.ts";
import { FakePublicAddress } from "./public-address.ts";
import { untilTold } from "./until.ts";
import { World } from "./world.ts";

/** Another Tallydeck that answers by TLS, beside that of the suite around it: a place for it. */
export class CountingPlace {
  readonly world: World;
  readonly #home: World;

  private constructor(world: World, home: World) {
    this.world = world;
    this.#home = home;
  }

  /** One for each test of the suite around it, at the time of its home. @param SITES those that it declares */
  static each(home: () => World, SITES: string): () => CountingPlace {
    const { cert, key, ca } = newCertificate();
    const trusted = getCACertificates("default");
    let place: CountingPlace;
    before(() => setDefaultCACertificates([...trusted, ca]));
    after(() => setDefaultCACertificates(trusted));
    beforeEach(async () => {
      const clock = new FakeClock(home().clock.now());
      const publicAddress = new FakePublicAddress();
      publicAddress.certificate = { cert, key };
      const door = new PublicDoor({ clock });
      place = new CountingPlace(new World({ clock, door, publicAddress, env: { SITES } }), home());
      await place.world.start();
    });
    afterEach(() => place.world.end());
    return () => place;
  }

  get address(): string {
    return `https://localhost:${this.world.tlsPort}`;
  }

  /** A new invitation, as the command prints it. */
  async invited(name = "home"): Promise<string> {
    const args = ["place", "invite", name, "--address", this.address, ...this.world.dataArgs];
    const { out, err, code } = await tallydeck(args);
    assert.equal(code, 0, err);
    return out.trim();
  }

  /** Time passes at both until something holds. */
  until(holds: () => Promise<boolean>): Promise<void> {
    return untilTold(() => {
      this.world.clock.advance(200);
      this.#home.clock.advance(200);
      return holds();
    });
  }
}
