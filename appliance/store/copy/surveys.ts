import { PASS_GENERATION } from "../settling/statements.ts";
import type { Transaction } from "../sql.ts";
import type { CopiedSurvey, Source } from "./engine.ts";
import type { CopyOptions, Progress, Retries } from "./run.ts";
import type { Pair } from "./sites.ts";
import { takeSource } from "./sources.ts";

/** Responses that are read at a time, and copied in one transaction. */
const READ_AT_ONCE = 1_000;
const BROUGHT_AT_ONCE = 200;

/** Whether a response of a source, by its number there, is there. */
const IS_THERE = `EXISTS (SELECT 1 FROM survey
  WHERE source = $1 AND (number = $2 OR (number IS NULL AND id = $2)))`;

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

/** Adds responses that are missing, with the number of the site here. @returns how many */
async function addSurveys(
  access: Transaction,
  source: Source,
  surveys: readonly CopiedSurvey[],
): Promise<number> {
  await access.rows(PASS_GENERATION);
  const here = await takeSource(access, source);
  const ids = await access.surveyIds(surveys.length);
  // The rows of an erased site may not all be gone yet.
  await access.all(
    surveys.map(({ number }) => ({
      text: `DELETE FROM survey WHERE source = $1 AND number = $2
               AND site NOT IN (SELECT key FROM site)`,
      values: [here, number],
    })),
  );
  const added = await access.all(
    surveys.map(({ number, site, version, day, payload }, at) => ({
      text: `INSERT INTO survey (source, number, id, site, version, day, payload)
             SELECT CAST($1 AS integer), CAST($2 AS bigint), CAST($3 AS bigint), key,
               CAST($5 AS bigint), CAST($6 AS integer), CAST($7 AS text)
             FROM site WHERE key = $4 AND NOT ${IS_THERE}
             RETURNING id`,
      values: [here, number, ids[at], site, version, day, payload],
    })),
  );
  return added.filter((rows) => rows.length > 0).length;
}
