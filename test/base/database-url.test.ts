import assert from "node:assert/strict";
import { shownDatabaseUrl } from "../../appliance/base/database-url.ts";

describe("the address of a database", () => {
  for (const [url, shown] of [
    ["postgres://tally:secret@db.example.org/tally", "postgres://tally@db.example.org/tally"],
    ["postgresql://tally:secret@a:5432,b:5433/tally", "postgres://tally@a:5432,b:5433/tally"],
    ["postgres://tally:sec@ret/secret@db/tally", "postgres://tally@db/tally"],
    ["postgres://db/tally?user=tally&password=secret", "postgres://db/tally"],
    ["postgres://:secret@db", "postgres://db"],
    ["postgres:///tally?host=/run/postgresql", "postgres:///tally"],
  ] as const)
    it(`is shown as ${shown}, without what is secret`, () => {
      assert.equal(shownDatabaseUrl(url), shown);
    });
});
