import { readFile } from "node:fs/promises";
import { formatDay, parseDay } from "../../../base/calendar.ts";
import { clocksDiffer } from "../../../base/day-zone.ts";
import { MARKS, readMarks } from "../../../base/input/marks.ts";
import { Refusal } from "../../../base/refusal.ts";
import type { Mark } from "../../../base/text/marks.ts";
import { settingOfSite } from "../../../store/desk.ts";
import {
  CommandFailed,
  command,
  outJson,
  switches,
  type Terminal,
  UsageError,
  valued,
} from "../command.ts";
import { configFrom, DATA_OPTIONS, DATA_OPTIONS_HELP } from "../data.ts";
import { onSite } from "../others-data.ts";

/** A file of as many marks as a site has, each as long as it may be, with room for more. */
const FILE_BYTES = 262_144;

export const mark = command({
  help: `tallydeck mark: notes on a day of a site, which its chart shows: a release, a post.

  tallydeck mark SITE TEXT [--day YYYY-MM-DD]   adds one, today unless told
  tallydeck mark SITE                           lists them
  tallydeck mark SITE --from FILE               adds those of a file, or of - for standard input:
                                                lines like 2026-01-31 Released 2.0
  tallydeck mark SITE TEXT --remove             takes away those with this text, of one day with --day

  --json           lists them as JSON
${DATA_OPTIONS_HELP}

A running service shows them at once. Days are those of DAY_ZONE.`,
  options: { ...DATA_OPTIONS, ...valued("day", "from"), ...switches("remove", "json") },
  async run({ values, positionals }, terminal) {
    const [given, ...words] = positionals;
    const text = words.join(" ").trim();
    if (given === undefined) throw new UsageError("Say which site: `tallydeck mark SITE TEXT`.");
    if (values.from !== undefined && (text !== "" || values.remove || values.day !== undefined))
      throw new UsageError("--from takes days and texts from its file: leave the others out.");
    if (values.remove && text === "")
      throw new UsageError("Say which to take away: `tallydeck mark SITE TEXT --remove`.");
    const isList = text === "" && values.from === undefined;
    if (values.json && !isList) throw new UsageError("--json is for the list of marks.");
    if (values.day !== undefined && parseDay(values.day) === undefined)
      throw new UsageError("--day must be a day like 2026-01-31.");
    const config = configFrom(values, terminal);
    const at = { id: given, changes: !isList };
    const about = { config, terminal };
    await onSite(["mark", ...positionals], at, about, async ({ desk, site, zone, today, now }) => {
      const { marks } = (await settingOfSite(desk, MARKS, site.key)) ?? { marks: [] };
      if (isList) {
        if (values.json) outJson(terminal, marks);
        else for (const each of marks) terminal.out(lineOf(each));
        return;
      }
      const wanted = values.remove
        ? marks.filter((each) => each.text !== text || (values.day ?? each.day) !== each.day)
        : [
            ...marks,
            ...(values.from === undefined
              ? [{ day: values.day ?? formatDay(today), text }]
              : marksIn(await contentOf(values.from, terminal))),
          ];
      const body = checked(withoutTwins(wanted));
      if (values.remove && body.marks.length === marks.length)
        throw new CommandFailed(
          `${site.id} has no mark “${text}”: \`tallydeck mark ${site.id}\` lists them.`,
        );
      await desk.write("setOfSite", { id: site.id, kind: MARKS.name, body });
      const n = Math.abs(body.marks.length - marks.length);
      const name = zone.nameAt(now);
      const isToday = !values.remove && values.from === undefined && values.day === undefined;
      // The day that was meant may be another where this machine's clock shows another time.
      const on =
        isToday && clocksDiffer(name, terminal.timeZone(), now)
          ? ` on ${formatDay(today)}, today in ${name}`
          : "";
      terminal.out(
        `${values.remove ? "Took away" : "Added"} ${n === 1 ? "one mark" : `${n} marks`}${on}.`,
      );
    });
  },
});

function lineOf({ day, text }: Mark): string {
  return `${day} ${text}`;
}

async function contentOf(name: string, { input }: Terminal): Promise<string> {
  if (name === "-") return input(FILE_BYTES);
  try {
    return await readFile(name, "utf8");
  } catch (error) {
    throw new CommandFailed(
      `${name} cannot be read: ${error instanceof Error ? error.message : error}`,
    );
  }
}

/** @throws {CommandFailed} naming the line that is none */
function marksIn(text: string): Mark[] {
  return text.split(/\r?\n/).flatMap((line, place) => {
    if (line.trim() === "") return [];
    const [, day = "", said = ""] = /^\s*(\S+)\s+(.+?)\s*$/.exec(line) ?? [];
    if (parseDay(day) === undefined)
      throw new CommandFailed(
        `Line ${place + 1} must be a day and a text, like 2026-01-31 Released 2.0.`,
      );
    return [{ day, text: said }];
  });
}

function withoutTwins(marks: readonly Mark[]): Mark[] {
  return [...new Map(marks.map((each) => [lineOf(each), each])).values()];
}

function checked(marks: readonly Mark[]): ReturnType<typeof readMarks> {
  try {
    return readMarks({ marks });
  } catch (error) {
    if (error instanceof Refusal) throw new CommandFailed(error.message);
    throw error;
  }
}
