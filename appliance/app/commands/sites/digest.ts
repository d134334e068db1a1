import { DIGEST_SPANS, type DigestSpan } from "../../../base/text/digest.ts";
import { didYouMean } from "../../../base/text/nearest.ts";
import { documentsOf, openBoxToLook } from "../../../store/desk.ts";
import { ALARM_LOG, alarmsWithin, type PastAlarm } from "../../../traffic/alarms/alarm-log.ts";
import { digestFigures } from "../../../traffic/digest/figures.ts";
import { digestText } from "../../../traffic/digest/words.ts";
import { command, outJson, switches, UsageError, valued } from "../command.ts";
import { configFrom, DATA_OPTIONS, DATA_OPTIONS_HELP } from "../data.ts";
import { onSite } from "../others-data.ts";

export const digest = command({
  help: `tallydeck digest: the figures of a site in one screen, as its digest tells them by mail.

  tallydeck digest [--site ID] [--every day|week]

  --site ID        which site; where there is one only, it need not be named
  --every SPAN     of yesterday, or of the seven days until then (week)
  --json           the same as JSON
${DATA_OPTIONS_HELP}

Days are those of DAY_ZONE, and today is in none. It sends nothing: digests are set in the Web UI, under Sites.`,
  options: { ...DATA_OPTIONS, ...valued("site", "every"), ...switches("json") },
  async run({ values, positionals }, terminal) {
    if (positionals.length > 0)
      throw new UsageError("Name the site as an option: `tallydeck digest --site ID`.");
    const every = spanOf(values.every);
    const config = configFrom(values, terminal);
    const at = { id: values.site };
    await onSite(["digest"], at, { config, terminal }, async ({ desk, site, zone, today, now }) => {
      const past = await pastAlarms(config.dataDir);
      const alarms: Asked["alarms"] = (...asked) => alarmsWithin(past, ...asked);
      const figures = await digestFigures(desk, { site, every, to: today - 1, zone, now, alarms });
      if (values.json) outJson(terminal, figures);
      else terminal.out(digestText(figures, zone));
    });
  },
});

type Asked = Parameters<typeof digestFigures>[1];

/** Alarms that this box has noted, be its numbers here or elsewhere. */
async function pastAlarms(dataDir: string): Promise<readonly PastAlarm[]> {
  const box = await openBoxToLook(dataDir);
  if (box === undefined) return [];
  const [kept] = await documentsOf(box, ALARM_LOG).finally(() => box.close());
  return kept?.body.alarms ?? [];
}

function spanOf(text = "week"): DigestSpan {
  const span = DIGEST_SPANS.find((each) => each === text);
  if (span === undefined)
    throw new UsageError(`--every must be day or week.${didYouMean(text, DIGEST_SPANS)}`);
  return span;
}
