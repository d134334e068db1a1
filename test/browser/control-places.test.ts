import assert from "node:assert/strict";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { PublicDoor } from "../../appliance/control/public-door.ts";
import { newCertificate } from "../helpers/certificates.ts";
import { tallydeck } from "../helpers/command-line.ts";
import { FakeClock } from "../helpers/fake-clock.ts";
import { FakePublicAddress } from "../helpers/public-address.ts";
import { untilTold } from "../helpers/until.ts";
import { World } from "../helpers/world.ts";
import { eachControl } from "./control-stage.ts";

const PLACES = "?tab=box&part=places";

describe("places of a machine", () => {
  const { cert, key, ca } = newCertificate();
  const trusted = getCACertificates("default");
  before(() => setDefaultCACertificates([...trusted, ca]));
  after(() => setDefaultCACertificates(trusted));

  const control = eachControl();
  let place: World;
  beforeEach(async () => {
    const clock = new FakeClock(control().world.clock.now());
    const publicAddress = new FakePublicAddress();
    publicAddress.certificate = { cert, key };
    const door = new PublicDoor({ clock });
    const env = { SITES: "blog,notes,shop" };
    place = new World({ clock, door, publicAddress, env });
    await place.start();
  });
  afterEach(() => place.end());

  const address = () => `https://localhost:${place.service.collectorTls?.port}`;
  const invited = async (): Promise<string> => {
    const args = ["place", "invite", "--address", address(), ...place.dataArgs];
    const { out, err, code } = await tallydeck(args);
    assert.equal(code, 0, err);
    return out.trim();
  };
  /** Time passes at both until something holds. */
  const until = (holds: () => Promise<boolean>) =>
    untilTold(() => {
      place.clock.advance(200);
      control().world.clock.advance(200);
      return holds();
    });
  const paste = async (line: string) => {
    await control().visit(PLACES);
    await control().field("Invitation").fill(line);
    await control().button("Add the place").click();
  };
  const frankfurt = () => control().region("localhost");
  const views = async (site: string) => (await control().world.stats({ site })).pv?._ ?? 0;
  const sees = (text: string | RegExp) =>
    until(() => frankfurt().getByText(text).first().isVisible());

  it("begin with words and a command, and come by the line that it printed", async () => {
    await control().visit(PLACES);
    await control().sees("tallydeck place invite");
    await control().sees("Nobody is invited.");
    await control().owner.assertAccessibleInAnyLight("main", true);
    await paste(await invited());
    await sees(/^It answered just now\./);
    await place.beacon({ p: "/there" });
    await until(async () => (await views("blog")) === 1);
    await sees(/1 hit came as they were counted/);
    assert.equal(await control().field("Invitation").inputValue(), "");
    await control().owner.assertAccessibleInAnyLight("main", true);
    await control().page.setViewportSize({ width: 360, height: 740 });
    assert.equal(await control().page.evaluate("document.body.scrollWidth"), 360);
    await control().owner.assertAccessible("main", true);
  });

  it("show who was invited here", async () => {
    const args = ["place", "invite", "berlin", "--address", "https://stats.example.com"];
    const { code } = await tallydeck([...args, ...control().world.dataArgs]);
    assert.equal(code, 0);
    await control().visit(PLACES);
    const card = control().region("This machine as a place");
    await card.getByText("berlin").waitFor();
    await card.getByText(/has not asked yet/).waitFor();
  });
});
