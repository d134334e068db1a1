import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { FLAG } from "../../../appliance/store/log/record.ts";
import { Visits } from "../../../appliance/traffic/imports/visits.ts";
import { eachFolder } from "../../helpers/folder.ts";
import { goatcounterCsv, umamiEvents } from "../../helpers/foreign-exports.ts";
import { contentOf, inspected, valuesOf } from "../../helpers/inspecting.ts";

describe("a session of a file with views", () => {
  const folder = eachFolder();
  const file = (name: string) => join(folder(), name);
  const at = (minute: number) => `2026-01-01T10:0${minute}:00Z`;

  const umami = [
    { at: at(0), path: "/", visitor: "v", visit: "1", referrer: "www.google.com" },
    { at: at(1), path: "/a", visitor: "v", visit: "1", referrer: "example.com" },
    { at: at(2), path: "/b", visitor: "v", visit: "1" },
    { at: at(3), path: "/b", visitor: "v", visit: "1", name: "signup" },
    { at: at(4), path: "/", visitor: "v", visit: "2" },
    { at: at(5), path: "/", visitor: "v", visit: "2", referrer: "lobste.rs" },
  ];
  const goatcounter = [
    { at: at(0), path: "/", session: "a", referrer: ["letter", "c"] },
    { at: at(1), path: "/a", session: "a" },
    { at: at(2), path: "click", session: "a", isEvent: true },
    { at: at(3), path: "/", session: "b" },
    { at: at(4), path: "/a", session: "b", referrer: ["Google", "g"] },
  ] as const;

  for (const [order, inOrder] of [
    ["in the order of their times", <T>(rows: readonly T[]) => rows],
    ["in the reverse order", <T>(rows: readonly T[]) => rows.toReversed()],
  ] as const)
    it(`has one source for all its views and events, ${order}`, async () => {
      writeFileSync(file("umami.csv"), umamiEvents(inOrder(umami)));
      const ofUmami = await inspected([file("umami.csv")]);
      assert.deepEqual(valuesOf(ofUmami, "source"), { "www.google.com": 3, direct: 2 });
      // All that came together in an event is kept, too.
      const { detail } = contentOf(ofUmami)[0]?.content ?? {};
      const { texts = [], rows = [] } = detail?.values.source ?? {};
      const event = detail?.bits.findIndex((bits) => (bits & 32) !== 0) ?? -1;
      assert.equal(texts[(rows[event] ?? 0) - 1], "www.google.com");

      writeFileSync(file("goat.csv"), goatcounterCsv(inOrder(goatcounter)));
      const ofGoat = await inspected([file("goat.csv")]);
      assert.deepEqual(valuesOf(ofGoat, "source"), { letter: 2, direct: 2 });
      assert.deepEqual(valuesOf(ofGoat, "source", 3), { letter: 1, direct: 1 });
      assert.deepEqual(valuesOf(ofGoat, "ref"), { direct: 3, "google.com": 1 });
    });

  it("keeps the source of its first view where there are more than can be remembered", () => {
    const visits = new Visits(100);
    const session = (n: number, minute: number, source: string) => {
      return { session: `s${n}`, moment: Date.UTC(2026, 0, 1, 0, minute), source };
    };
    for (let n = 0; n < 1_000; n++) visits.note(session(n, n, `${n}.example`));
    for (let n = 0; n < 1_000; n++) {
      const { session: its, source } = session(n, n, `${n}.example`);
      const day = 20_454;
      for (const [view, own] of [source, "direct", "x.example"].entries()) {
        assert.equal(visits.sourceOf(its, own), source);
        const flags = visits.flagsOf({ day, visitor: its, session: its, path: `/${view}` });
        assert.equal((flags & FLAG.session) !== 0, view === 0, `${n} ${view} ${flags}`);
      }
    }
  });
});
