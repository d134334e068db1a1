import type { PlaceStanding } from "../../../../appliance/control/wire.ts";

/** The next thing to do about a place that could not be asked. */
export function toDo(problem: string): string {
  // Words of the place's line: see traffic/places/ask.
  if (problem.includes("token")) return "Paste the new one here: its counts go on.";
  if (problem.includes("no place")) return "Look there whether the right release runs.";
  if (problem.includes("certificate")) return "Look there whether its certificate was renewed.";
  return "It is asked again within a minute, and what it counts meanwhile comes then.";
}

const WHY: Readonly<Record<string, string>> = {
  declared: "The configuration there declares it, so its settings there stay",
  host_taken: "Its host is another site’s there",
  too_many: "There are too many sites there",
  retired: "It is retired there",
};

/** Sites that are not at a place as they are here, all for one reason. */
export function otherThere(
  outcome: string,
  sites: readonly PlaceStanding["disobeyed"][number][],
): string {
  const ids = sites.map(({ site }) => site).join(", ");
  return `Not there as it is here: ${ids}. ${WHY[outcome] ?? outcome}.`;
}
