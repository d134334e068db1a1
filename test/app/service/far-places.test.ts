import assert from "node:assert/strict";
import { join } from "node:path";
import { tallydeck } from "../../helpers/command-line.ts";
import { FAR_ADDRESS, FarLine } from "../../helpers/far-line.ts";
import { eachFolder } from "../../helpers/folder.ts";
import { isLong } from "../../helpers/long.ts";
import { isViewed, PlaceFront, placeEnv, shownViews } from "../../helpers/place-front.ts";
import { seeded, TEST_SEED } from "../../helpers/seeded.ts";
import { RunningService } from "../../helpers/tallydeck.ts";
import { untilTold } from "../../helpers/until.ts";

const ROUNDS = isLong ? 20 : 3;
const TLS_PORT = 8443;
/** A process is killed in a round, or the cable is pulled. */
const TROUBLES = ["home", "place", "cable", "nothing"] as const;

describe("a home and its place on machines of their own", () => {
  const folder = eachFolder();
  const dir = (name: string) => join(folder(), name);
  let line: FarLine | undefined;
  let front: PlaceFront | undefined;
  before(function () {
    if (FarLine.isMissing !== undefined) this.skip();
  });
  afterEach(async () => {
    await front?.close();
    await line?.close();
  });

  it(`has all that was answered, once, over a line that loses packets and is cut (seed ${TEST_SEED})`, async function () {
    this.timeout(isLong ? 900_000 : 180_000);
    const { below, pick } = seeded(TEST_SEED);
    const far = await FarLine.build();
    line = far;
    const door = await far.listen(TLS_PORT);
    const itsFront = await PlaceFront.open(dir("tls"), { door, names: `IP:${FAR_ADDRESS}` });
    front = itsFront;
    const ways = { home: await far.lead("home"), place: await far.lead("place") };
    itsFront.to = ways.place.port;
    const start = async (side: "home" | "place") => {
      const env = placeEnv(dir("tls"));
      const service = await RunningService.start(dir(side), env, { within: far.on(side) });
      ways[side].to = service.port;
      return service;
    };
    const services = { home: await start("home"), place: await start("place") };
    const address = `https://${FAR_ADDRESS}:${TLS_PORT}`;
    const invited = ["place", "invite", "--address", address, "--data-dir", dir("place")];
    const invitation = (await tallydeck(invited)).out.trim();
    const added = await tallydeck(["places", "add", invitation, "--data-dir", dir("home")]);
    assert.equal(added.code, 0, added.err);
    const said: string[] = [];
    let [least, most] = [0, 0];
    for (let round = 0; round < ROUNDS; round++) {
      const trouble = pick(TROUBLES);
      const [percent, kbits] = [below(35), pick([undefined, 64, 512])];
      said.push(`${trouble} goes, ${percent} % lost, ${kbits ?? "all"} kbit/s`);
      far.lose(percent);
      if (kbits !== undefined) far.slow(kbits);
      const killed = trouble === "home" || trouble === "place" ? trouble : undefined;
      const views = Array.from({ length: 40 + below(60) }, async (_, n) => {
        const isAnswered = await isViewed(ways.place.port, `/${n % 7}`);
        most += 1;
        if (isAnswered) least += 1;
        if (n !== 20) return;
        if (killed !== undefined) services[killed].signal("SIGKILL");
        if (trouble === "cable") far.plug(false);
      });
      await Promise.all(views);
      if (killed !== undefined) {
        await services[killed].ended;
        services[killed] = await start(killed);
      }
      // These are answered while the cable is out.
      for (let n = below(10); n > 0; n--) {
        const isAnswered = await isViewed(ways.place.port, "/later");
        most += 1;
        if (isAnswered) least += 1;
      }
      far.plug(true);
      const atPlace = await shownViews(ways.place.port);
      assert.ok(atPlace >= least && atPlace <= most, `${atPlace} of ${least} to ${most}: ${said}`);
      await untilTold(async () => (await shownViews(ways.home.port)) >= atPlace);
      assert.equal(await shownViews(ways.home.port), atPlace, said.join("; "));
      if (kbits !== undefined) far.slow(undefined);
      [least, most] = [atPlace, atPlace];
    }
    for (const service of Object.values(services)) await service.end();
  });
});
