import { randomBytes } from "node:crypto";
import { readDocument } from "../../../base/documents.ts";
import { didYouMean } from "../../../base/text/nearest.ts";
import { type Desk, openToChange, openToLook } from "../../../store/desk.ts";
import { PLACE_STATES } from "../../../store/store.ts";
import { placeChange } from "../../../traffic/places/fetcher.ts";
import { readInvitation } from "../../../traffic/places/invitation.ts";
import { NOT_TAKEN } from "../../../traffic/places/matching.ts";
import { newPlace, placesOf, removedPlace } from "../../../traffic/places/places.ts";
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
import { configFrom, DATA_OPTIONS, DATA_OPTIONS_HELP } from "../data.ts";
import { checkData } from "../others-data.ts";

export const places = command({
  help: `tallydeck places: other Tallydecks whose counts are fetched and shown here. A running service follows within seconds.

  tallydeck places                   lists them, with their sites
  tallydeck places add INVITATION    fetches from one: the line that \`tallydeck place invite\` printed there
  tallydeck places remove NAME       fetches from there no more; its counts stay, as a source

  --name NAME      its name here: that of its host, unless given
  --new            makes the sites that it has and that are missing here
  --json           lists them as JSON
${DATA_OPTIONS_HELP}`,
  options: { ...DATA_OPTIONS, ...switches("json", "new"), ...valued("name") },
  async run({ values, positionals }, terminal) {
    const [action = "list", what, ...rest] = positionals;
    const isList = action === "list" && what === undefined;
    const isKnown = isList || (["add", "remove"].includes(action) && what !== undefined);
    if (!isKnown || rest.length > 0)
      throw notUnderstood("places", positionals.slice(0, 1), ["list", "add", "remove"]);
    if (values.json && !isList) throw new UsageError("--json is for the list of places.");
    const config = configFrom(values, terminal);
    await checkData(["places", action], config, terminal);
    const desk = isList ? await openToLook(config) : await openToChange(config);
    try {
      if (desk === undefined) list([], terminal, values.json === true);
      else if (isList) list(await listedPlaces(desk), terminal, values.json === true);
      else if (action === "add")
        await add(
          desk,
          { line: what ?? "", name: values.name, makesSites: values.new === true },
          terminal,
        );
      else await remove(desk, what ?? "", terminal);
    } finally {
      await desk?.close();
    }
  },
});

export async function listedPlaces(desk: Desk) {
  const states = await desk.read("shared", { kind: PLACE_STATES.name });
  return (await placesOf(desk)).map(({ id, place }) => {
    const state = states.find((one) => one.id === id);
    const { at = null } = state === undefined ? {} : readDocument(PLACE_STATES, id, state.body);
    const { name, address, sites, lie } = place;
    return {
      name,
      address,
      answeredAt: at,
      lie,
      sites: sites.map(({ id: its, as }) => ({
        id: its,
        as: as === NOT_TAKEN ? null : as,
        none: as === NOT_TAKEN,
      })),
    };
  });
}

export type ListedPlace = Awaited<ReturnType<typeof listedPlaces>>[number];

/** A place by its name, and its trouble. */
export function placeText({ name, answeredAt, lie }: ListedPlace, now: number): string {
  if (lie !== null) return `${name}: not believed any more`;
  if (answeredAt === null) return `${name}: has not answered yet`;
  const minutes = Math.floor((now - answeredAt) / 60_000);
  return minutes < 10 ? name : `${name}: nothing fetched for ${minutes} min`;
}

function list(all: readonly ListedPlace[], terminal: Terminal, asJson: boolean): void {
  if (asJson) {
    outJson(terminal, all);
    return;
  }
  if (all.length === 0)
    terminal.out("No place is known. Add one: `tallydeck places add INVITATION`");
  for (const { name, address, answeredAt, lie, sites } of all) {
    const last =
      answeredAt === null
        ? "has not answered yet"
        : `answered last at ${new Date(answeredAt).toISOString().slice(0, 16)}Z`;
    terminal.out(`${name}  ${address} · ${last}`);
    if (lie !== null) terminal.out(`  is not believed any more: ${lie}`);
    for (const site of sites) terminal.out(`  ${site.id}${whichHere(site)}`);
  }
}

/** The site here that one of a place is, in words. */
function whichHere({ id, as, none }: ListedPlace["sites"][number]): string {
  if (none) return ": none of the sites here, as chosen";
  if (as === null) return ": is not here yet; add a site of this id, or choose one in the Web UI";
  return as === id ? "" : `: ${as} here`;
}

/** @throws {UsageError | CommandFailed} */
async function add(
  desk: Desk,
  {
    line,
    name,
    makesSites,
  }: { readonly line: string; readonly name: string | undefined; readonly makesSites: boolean },
  terminal: Terminal,
): Promise<void> {
  const found = readInvitation(line);
  if (found === undefined)
    throw new UsageError(
      "INVITATION is the line that the place printed: tallydeck-place:https://…#… Quote it for the shell.",
    );
  const all = await placesOf(desk);
  const twin = all.find(({ place }) => place.address === found.address);
  const called = name ?? twin?.place.name ?? new URL(found.address).hostname.slice(0, 40);
  if ([...called].length > 40) throw new UsageError("--name has to be of at most 40 characters.");
  if (all.some(({ id, place }) => place.name === called && id !== twin?.id))
    throw new CommandFailed(`There is a place of the name ${called} already: give another --name.`);
  const about = { ...found, name: called, makesSites };
  const body = twin ? { ...twin.place, ...about, lie: null } : newPlace(about);
  await desk.write("changePlaces", [placeChange(twin?.id ?? randomBytes(8).toString("hex"), body)]);
  terminal.out(`${called} is fetched from within seconds, while the service runs.`);
}

/** @throws {CommandFailed} where there is none of this name */
async function remove(desk: Desk, name: string, terminal: Terminal): Promise<void> {
  const all = await placesOf(desk);
  const found = all.find(({ place }) => place.name === name);
  if (found === undefined) {
    const names = all.map(({ place }) => place.name);
    throw new CommandFailed(
      `There is no place ${name}.${didYouMean(name, names)} \`tallydeck places\` lists them.`,
    );
  }
  await desk.write("changePlaces", removedPlace(found.id));
  terminal.out(
    `${name} is fetched from no more. What came from there stays: \`tallydeck sources\` lists it.`,
  );
}
