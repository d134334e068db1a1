import type { CopyOptions } from "./options.ts";
import type { Patience } from "./patience.ts";
import type { Progress } from "./progress.ts";
import type { Pair } from "./sites.ts";

/** Ids are looked at in so many at once, and rows brought. */
const IDS_AT_ONCE = 2_000;
const ROWS_AT_ONCE = 200;

/** Brings the responses that no run before has brought, each once. @returns how many */
export async function bringSurveys(
  { from, to }: CopyOptions,
  patience: Patience,
  pairs: readonly Pair[],
  progress?: Progress,
): Promise<number> {
  const keys = new Map(pairs.map(({ site, there }) => [site, there.key]));
  let brought = 0;
  for (let after = 0; ; ) {
    const ids = await patience.with(() => from.surveyIds(after, IDS_AT_ONCE, to.id));
    const missing = await patience.with(() => to.missingSurveys(from.id, ids));
    for (let i = 0; i < missing.length; i += ROWS_AT_ONCE) {
      brought += await patience.with(async () => {
        const rows = await from.surveys(missing.slice(i, i + ROWS_AT_ONCE));
        const ours = rows.flatMap((row) => {
          const site = keys.get(row.site);
          return site === undefined ? [] : [{ ...row, site }];
        });
        return to.transaction((change) => change.addSurveys(from.id, ours));
      });
      progress?.surveys(brought);
    }
    if (ids.length < IDS_AT_ONCE) return brought;
    after = ids.at(-1) ?? after;
  }
}
