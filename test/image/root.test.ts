import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";

const STEPS = join(import.meta.dirname, "../../image/steps");
/** Says with which time the root would be made. */
const SCRIPT = `
set -eu
say() { :; }
. "${STEPS}/common"
. "${STEPS}/root"
cache=$(mktemp -d)
trap 'rm -rf "$cache"' EXIT
mmdebstrap() {
  date -ud "@$SOURCE_DATE_EPOCH" +%FT%TZ
  touch "$cache/root.part.tar"
}
bootstrap_root "$cache/root.tar"
`;

function timeOfRoot(environment: Record<string, string>): string {
  const env = { ...process.env, DEBIAN_SNAPSHOT: "", ...environment };
  return execFileSync("bash", ["-c", SCRIPT], { encoding: "utf8", env }).trim();
}

describe("the root of an image", () => {
  for (const commit of ["1700000000", "1800000000"]) {
    it(`has the time of its packages where a release names it, in a build of ${commit}`, () => {
      const environment = { SOURCE_DATE_EPOCH: commit, DEBIAN_SNAPSHOT: "20261127T043015Z" };
      assert.equal(timeOfRoot(environment), "2026-11-27T04:30:15Z");
    });

    it(`has that of the month for which it is kept, in a build of ${commit}`, () => {
      const month = new Date().toISOString().slice(0, 7);
      assert.equal(timeOfRoot({ SOURCE_DATE_EPOCH: commit }), `${month}-01T00:00:00Z`);
    });
  }
});
