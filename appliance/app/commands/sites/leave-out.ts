import { LEFT_OUT, readLeftOut } from "../../../base/input/left-out.ts";
import { NOTHING_LEFT_OUT, type StaysOut } from "../../../base/text/left-out.ts";
import { settingOfSite } from "../../../store/desk.ts";
import { command, outJson, switches, UsageError, valued } from "../command.ts";
import { configFrom, DATA_OPTIONS, DATA_OPTIONS_HELP } from "../data.ts";
import { onSite } from "../others-data.ts";

export const leaveOut = command({
  help: `tallydeck leave-out: what stays out of the counts of a site.

  tallydeck leave-out SITE              says it
  tallydeck leave-out SITE [options]    sets it: each list takes the place of the one before

  --hosts LIST       the only hosts whose pages count: example.org,*.example.org
  --paths LIST       pages that do not count: /draft,/preview/*
  --referrers LIST   domains from which visits do not count, with all below: spam.example
  --countries LIST   countries that do not count, by two letters: XK,CH
  --json             says it as JSON
${DATA_OPTIONS_HELP}

Lists have commas between; none, as a list, takes it away. Views and events that stay out count as left_out and as
nothing else, from now on: what is counted stays. A running service follows within a second.`,
  options: {
    ...DATA_OPTIONS,
    ...valued("hosts", "paths", "referrers", "countries"),
    ...switches("json"),
  },
  async run({ values, positionals }, terminal) {
    const [id, ...more] = positionals;
    if (id === undefined || more.length > 0)
      throw new UsageError("Say which site: `tallydeck leave-out SITE --hosts example.org`.");
    const changes = LISTS.some((name) => values[name] !== undefined);
    const config = configFrom(values, terminal);
    const about = { config, terminal };
    await onSite(["leave-out", id], { id, changes }, about, async ({ desk, site }) => {
      const before = (await settingOfSite(desk, LEFT_OUT, site.key)) ?? NOTHING_LEFT_OUT;
      const given = LISTS.flatMap((name) => {
        const list = values[name];
        return list === undefined ? [] : [[name, entriesOf(list)] as const];
      });
      const body = changes ? readLeftOut({ ...before, ...Object.fromEntries(given) }) : before;
      if (changes) await desk.write("setOfSite", { id: site.id, kind: LEFT_OUT.name, body });
      if (values.json) outJson(terminal, body);
      else for (const line of linesOf(body)) terminal.out(line);
    });
  },
});

const LISTS = ["hosts", "paths", "referrers", "countries"] as const;
const NAMES = {
  hosts: "Only these hosts count",
  paths: "Pages that do not count",
  referrers: "Referrers that do not count",
  countries: "Countries that do not count",
} as const satisfies Record<keyof StaysOut, string>;

function entriesOf(list: string): string[] {
  return list.trim() === "none" ? [] : list.split(",").filter((entry) => entry.trim() !== "");
}

function linesOf(leftOut: StaysOut): string[] {
  const lines = LISTS.flatMap((name) =>
    leftOut[name].length === 0 ? [] : [`${NAMES[name]}: ${leftOut[name].join(", ")}`],
  );
  return lines.length === 0 ? ["Nothing stays out."] : lines;
}
