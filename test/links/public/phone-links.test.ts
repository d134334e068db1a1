import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { PhoneLinks } from "../../../appliance/links/public/phone-links.ts";
import { FakeClock } from "../../helpers/fake-clock.ts";

describe("links for a phone", () => {
  const make = () => {
    const clock = new FakeClock();
    return { clock, links: new PhoneLinks({ clock, randomBytes }) };
  };

  it("work once", () => {
    const { links } = make();
    const nonce = links.make();
    assert.deepEqual([links.use(nonce), links.use(nonce)], [true, false]);
  });

  it("work for ten minutes", () => {
    const { clock, links } = make();
    const [early, late] = [links.make(), links.make()];
    clock.advance(599_000);
    assert.equal(links.use(early), true);
    clock.advance(1_000);
    assert.equal(links.use(late), false);
  });

  it("are not guessed, and only the newest are kept", () => {
    const { links } = make();
    const first = links.make();
    for (let i = 0; i < 16; i += 1) links.make();
    assert.deepEqual([links.use(first), links.use("")], [false, false]);
  });
});
