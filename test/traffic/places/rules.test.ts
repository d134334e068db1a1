import assert from "node:assert/strict";
import { silentLog } from "../../../appliance/base/log.ts";
import { PlaceFetcher } from "../../../appliance/traffic/places/fetcher.ts";
import { engineOfSuite, onEachEngine } from "../../helpers/engines.ts";
import { SimulatedSide } from "./places.ts";

const OLD = { dimension: "path", from: "/old", to: "/new" } as const;
const NOTHING = { hosts: [], paths: [], referrers: [], countries: [] };

onEachEngine(() => {
  const engine = engineOfSuite();
  describe("the rules of a home for the values of a site", () => {
    let place: SimulatedSide;
    beforeEach(async () => {
      place = new SimulatedSide("frankfurt", engine);
      await place.boot();
    });
    afterEach(() => place.end());

    const obey = (more: object, id = "blog") => {
      const site = { id, host: null, badge: false, tokenHash: null, leftOut: NOTHING };
      return place.again(() =>
        place.numbers.write("obeyHome", {
          zone: null,
          now: place.clock.now(),
          sites: [{ ...site, valueRules: [], ...more }],
        }),
      );
    };
    const rules = async () => {
      const kept = "SELECT body FROM document WHERE kind = 'value_rules'";
      const [row] = await place.read((sql) => sql.rows<{ body: string }>(kept));
      return JSON.parse(row?.body ?? assert.fail("there are none"));
    };
    const paths = async () =>
      [...(await place.stored())].map(([key, n]) => [key.split(" ").at(-1), n]);

    it("come with a site that is new at its place", async () => {
      assert.deepEqual(
        await obey({ leftOut: { ...NOTHING, paths: ["/a"] }, valueRules: [OLD] }),
        [],
      );
      const [site] = place.numbers.directory.sites;
      assert.deepEqual(site?.leftOut?.paths, ["/a"]);
      assert.deepEqual(site?.valueRules?.rules, [OLD]);
    });

    it("hold for what is settled there, and are taken back", async () => {
      await obey({});
      await place.count("blog", "/old", 2);
      await place.wait(place.numbers.upkeep.anew());
      await obey({ valueRules: [OLD] });
      assert.deepEqual(await rules(), { rules: [OLD], due: [OLD] });
      place.clock.jump(3_600_000);
      await place.wait(place.numbers.upkeep.anew());
      assert.deepEqual(await paths(), [["/new", 2]]);
      assert.deepEqual(await rules(), { rules: [OLD], due: [] });
      await obey({ valueRules: [OLD] });
      assert.deepEqual(await rules(), { rules: [OLD], due: [] });
      await obey({});
      assert.deepEqual(await rules(), { rules: [], due: [] });
    });
  });

  describe("the sites of a home", () => {
    let home: SimulatedSide;
    beforeEach(async () => {
      home = new SimulatedSide("home", engine);
      await home.boot();
    });
    afterEach(() => home.end());

    it("are told to a place as soon as it answers, also where that was not yet so at first", async () => {
      await home.again(() => home.numbers.write("createSite", { id: "blog" }));
      await home.addPlace("frankfurt");
      const told: string[] = [];
      let isAway = true;
      const answered = <T>(answer: T): T => {
        if (isAway) throw new Error("there was no answer in time");
        return answer;
      };
      const fetcher = new PlaceFetcher({
        id: "frankfurt",
        numbers: home.numbers,
        line: {
          // biome-ignore lint/correctness/useYield: it has nothing new.
          async *changes() {
            answered(undefined);
          },
          tell: async (_, { sites }) => {
            told.push(...answered(sites.map(({ id }) => id)));
            return [];
          },
        },
        clock: home.clock,
        log: silentLog(),
        random: () => 0,
      });
      await assert.rejects(home.wait(fetcher.once()), /no answer/);
      isAway = false;
      await home.wait(fetcher.once());
      await home.wait(fetcher.once());
      assert.deepEqual(told, ["blog"]);
    });
  });
});
