import { addSurveys } from "./adding.ts";
import type { Source } from "./engine.ts";
import type { CopyOptions, Progress, Retries } from "./run.ts";
import type { Pair } from "./sites.ts";

/** Responses that are read at a time, and copied in one transaction. */
const READ_AT_ONCE = 1_000;
const BROUGHT_AT_ONCE = 200;

/** Brings the responses that the target lacks. @returns how many */
export async function bringSurveys(
  { from, to }: CopyOptions,
  patience: Retries,
  { pairs, sources }: { readonly pairs: readonly Pair[]; readonly sources: readonly Source[] },
  progress?: Progress,
): Promise<number> {
  const keys = new Map(pairs.map(({ site, there }) => [site, there.key]));
  let brought = 0;
  for (const source of sources)
    for (let after = 0; ; ) {
      const read = await patience.with(() => from.surveys(source.number, after, READ_AT_ONCE));
      const ours = read.flatMap((row) => {
        const site = keys.get(row.site);
        return site === undefined ? [] : [{ ...row, site }];
      });
      const missing = await patience.with(() => to.missingSurveys(source.origin, ours));
      for (let i = 0; i < missing.length; i += BROUGHT_AT_ONCE) {
        const some = missing.slice(i, i + BROUGHT_AT_ONCE);
        brought += await patience.with(() =>
          to.transaction((access) => addSurveys(access, source, some)),
        );
        progress?.surveys(brought);
      }
      if (read.length < READ_AT_ONCE) break;
      after = read.at(-1)?.id ?? after;
    }
  return brought;
}
