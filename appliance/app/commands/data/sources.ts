import { formatDay } from "../../../base/calendar.ts";
import { sourceName } from "../../../base/text/source-name.ts";
import {
  type Desk,
  firstDayOf,
  type Months,
  openToChange,
  openToLook,
  type SourceRow,
  type SourceSize,
} from "../../../store/desk.ts";
import {
  CommandFailed,
  command,
  notUnderstood,
  outJson,
  switches,
  type Terminal,
  UsageError,
  valued,
} from "../command.ts";
import { configFrom, DATA_OPTIONS, DATA_OPTIONS_HELP, noSite } from "../data.ts";
import { checkData } from "../others-data.ts";
import { sizeText } from "../size-text.ts";

export const sources = command({
  help: `tallydeck sources: where the counts came from: what is counted here, and what was copied here.

  tallydeck sources                                 lists them, by number
  tallydeck sources delete NUMBER --confirm NUMBER  deletes one, with all that came from there

  --json           lists them as JSON, with sizes in bytes
${DATA_OPTIONS_HELP}

What is counted here now cannot be deleted: erase sites instead. What was deleted comes back with the next
\`tallydeck copy\` from a database that has it.`,
  options: { ...DATA_OPTIONS, ...switches("json"), ...valued("confirm") },
  async run({ values, positionals }, terminal) {
    const [action = "list", number, ...rest] = positionals;
    const isList = action === "list" && number === undefined;
    if (!isList && (action !== "delete" || number === undefined || rest.length > 0))
      throw notUnderstood("sources", positionals, ["list", "delete"]);
    if (values.json && !isList) throw new UsageError("--json is for the list of sources.");
    const config = configFrom(values, terminal);
    await checkData(["sources", ...positionals], config, terminal);
    const desk = isList
      ? await openToLook(config)
      : await openToChange(config, { makesRoom: true });
    if (desk === undefined) {
      if (values.json) outJson(terminal, []);
      else terminal.out(await noSite(config, terminal));
      return;
    }
    try {
      if (number === undefined) await list(desk, terminal, values.json === true);
      else await remove(desk, { number, confirm: values.confirm }, terminal);
    } finally {
      await desk.close();
    }
  },
});

async function list(desk: Desk, terminal: Terminal, asJson: boolean): Promise<void> {
  const rows = await desk.read("sources", undefined);
  const sizes = await desk.read("sourceSizes", undefined);
  if (asJson)
    return outJson(
      terminal,
      rows.map((row) => jsonOf(row, sizes)),
    );
  for (const row of rows) {
    const size = sizes.find(({ number }) => number === row.number);
    terminal.out(
      `${row.number}  ${sourceName(row)}  ${[...sizeOf(size), ...runOf(row)].join(" · ")}`,
    );
  }
}

function jsonOf(row: SourceRow, sizes: readonly SourceSize[]): object {
  const {
    months = null,
    sites,
    bytes,
    responses,
  } = sizes.find(({ number }) => number === row.number) ?? {};
  return {
    number: row.number,
    name: sourceName(row),
    months: months && { from: monthName(months.from), to: monthName(months.to) },
    sites,
    bytes,
    responses,
    copiedAt: row.runAt === null ? null : new Date(row.runAt).toISOString(),
  };
}

function sizeOf(size: SourceSize | undefined): string[] {
  if (size === undefined) return [];
  const { months, sites, bytes, responses } = size;
  return [
    months === null ? "nothing settled" : monthsText(months),
    `${sites} ${sites === 1 ? "site" : "sites"}`,
    sizeText(bytes),
    ...(responses > 0 ? [`${responses} survey responses`] : []),
  ];
}

function monthsText({ from, to }: Months): string {
  const [first, last] = [from, to].map(monthName);
  return first === last ? `${first}` : `${first} to ${last}`;
}

function monthName(month: Months["from"]): string {
  return formatDay(firstDayOf(month)).slice(0, "2026-03".length);
}

function runOf({ kind, runAt }: SourceRow): string[] {
  if (runAt === null) return [];
  return [
    `last ${kind === "import" ? "imported" : "copied"} ${new Date(runAt).toISOString().slice(0, "2026-03-04T12:00".length)}Z`,
  ];
}

async function remove(
  desk: Desk,
  { number, confirm }: { readonly number: string; readonly confirm: string | undefined },
  terminal: Terminal,
): Promise<void> {
  const rows = await desk.read("sources", undefined);
  const row = rows.find((one) => `${one.number}` === number);
  if (row === undefined)
    throw new CommandFailed(`There is no source ${number}. \`tallydeck sources\` lists them.`);
  if (row.kind === "now")
    throw new CommandFailed(
      `Source ${number} is what is counted here. \`tallydeck sites erase\` erases a site with all it counted.`,
    );
  if (confirm !== number)
    throw new UsageError(
      `This deletes all that was ${sourceName(row)}. To do so: tallydeck sources delete ${number} --confirm ${number}`,
    );
  while ((await desk.write("deleteSource", { number: row.number })) === "more");
  terminal.out(`Deleted what was ${sourceName(row)}.`);
}
