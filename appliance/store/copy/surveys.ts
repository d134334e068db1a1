import type { CopyOptions } from "./options.ts";
import type { Patience } from "./patience.ts";
import type { Progress } from "./progress.ts";
import type { Pair } from "./sites.ts";

/** So many are looked at in one go, and brought in one transaction. */
const READ_AT_ONCE = 1_000;
const BROUGHT_AT_ONCE = 200;

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
    const read = await patience.with(() => from.surveys(after, READ_AT_ONCE, to.id));
    const missing = await patience.with(() => to.missingSurveys(from.id, read));
    const ours = missing.flatMap((row) => {
      const site = keys.get(row.site);
      return site === undefined ? [] : [{ ...row, site }];
    });
    for (let i = 0; i < ours.length; i += BROUGHT_AT_ONCE) {
      const some = ours.slice(i, i + BROUGHT_AT_ONCE);
      brought += await patience.with(() =>
        to.transaction((change) => change.addSurveys(from.id, some)),
      );
      progress?.surveys(brought);
    }
    if (read.length < READ_AT_ONCE) return brought;
    after = read.at(-1)?.id ?? after;
  }
}
