/** The next thing to do about a place that could not be asked. */
export function toDo(problem: string): string {
  // Words of the place's line: see traffic/places/ask.
  if (problem.includes("token")) return "Paste the new one here: its counts go on.";
  if (problem.includes("no place")) return "Look there whether the right release runs.";
  if (problem.includes("certificate")) return "Look there whether its certificate was renewed.";
  return "It is asked again within a minute, and what it counts meanwhile comes then.";
}

const WHY: Readonly<Record<string, string>> = {
  declared: "the configuration there declares it, so its settings there stay",
  host_taken: "its host is another site’s there",
  too_many: "there are too many sites there",
  retired: "it is retired there",
};

/** A site that is not at a place as it is here. */
export function changedThere(site: string, outcome: string): string {
  return `The site ${site} is not there as it is here: ${WHY[outcome] ?? outcome}.`;
}
