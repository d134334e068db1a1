import { DayZone, UTC_DAYS } from "../../../base/day-zone.ts";
import { DIGEST_SPANS, type DigestSpan } from "../../../base/text/digest.ts";
import { didYouMean } from "../../../base/text/nearest.ts";
import { documentsOf, openBoxToLook, openToLook } from "../../../store/desk.ts";
import { ALARM_LOG, alarmsWithin, type PastAlarm } from "../../../traffic/alarms/alarm-log.ts";
import { digestFigures } from "../../../traffic/digest/figures.ts";
import { digestText } from "../../../traffic/digest/words.ts";
import {
  type Command,
  CommandFailed,
  JSON_OPTION,
  outJson,
  parseCommandLine,
  UsageError,
} from "../command.ts";
import { configFrom, DATA_OPTIONS, DATA_OPTIONS_HELP, noSite, siteMeant } from "../data.ts";
import { checkData } from "../others-data.ts";

const help = `tallydeck digest: the figures of a site in one screen, as its digest tells them by mail.

  tallydeck digest [--site ID] [--every day|week]

  --site ID        which site; where there is one only, it need not be named
  --every SPAN     of yesterday, or of the seven days until then (week)
  --json           the same as JSON
${DATA_OPTIONS_HELP}

Days are those of DAY_ZONE, and today is in none. It sends nothing: digests are set in the Web UI, under Sites.`;

const OPTIONS = {
  ...DATA_OPTIONS,
  site: { type: "string" },
  every: { type: "string" },
  ...JSON_OPTION,
} as const;

export const digest: Command = {
  help,
  async run(args, terminal) {
    const { values, positionals } = parseCommandLine(args, OPTIONS);
    if (positionals.length > 0)
      throw new UsageError("Name the site as an option: `tallydeck digest --site ID`.");
    const every = spanOf(values.every);
    const config = configFrom(values, terminal);
    await checkData(["digest"], config, terminal);
    const desk = await openToLook(config);
    if (desk === undefined) throw new CommandFailed(await noSite(config, terminal));
    try {
      const directory = await desk.directory();
      if (directory.sites.length === 0) throw new CommandFailed(await noSite(config, terminal));
      const site = siteMeant(directory, values.site);
      const zone = new DayZone(directory.dayZone ?? UTC_DAYS);
      const now = terminal.now();
      const past = await pastAlarms(config.dataDir);
      const figures = await digestFigures(desk, {
        site,
        every,
        to: zone.today(now) - 1,
        zone,
        now,
        alarms: (...asked) => alarmsWithin(past, ...asked),
      });
      if (values.json) outJson(terminal, figures);
      else terminal.out(digestText(figures, zone));
    } finally {
      await desk.close();
    }
  },
};

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
