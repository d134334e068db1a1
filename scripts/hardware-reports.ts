import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type HardwareReport, parseReport } from "../appliance/deck/hardware/report.ts";

const VERSION = /^\d[\w.+-]{0,30}$/;

/**
 * The reports of a folder, which people have sent.
 * @throws {Error} with the name of a file that is none
 */
export function reportsIn(folder: string): HardwareReport[] {
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder).filter((name) => name.endsWith(".txt"));
  return names.sort().map((name) => {
    try {
      const report = parseReport(readFileSync(join(folder, name), "utf8"));
      if (!VERSION.test(report.facts.version ?? "")) throw new Error("It names no version.");
      return report;
    } catch (error) {
      throw new Error(`${name}: ${(error as Error).message}`);
    }
  });
}

/** The reports of a model of a deck; those of virtual decks prove nothing. */
export function ofDeck(reports: readonly HardwareReport[], model: string): HardwareReport[] {
  return reports.filter(
    ({ facts }) => facts.about === "deck" && facts.model === model && facts.device === "real",
  );
}

/** A kind of board, as a row of the table of boards. */
export interface BoardKind {
  readonly name: string;
  /** The beginning of the model that its device tree names; undefined for machines that name none. */
  readonly model: string | undefined;
  readonly notes: string;
}

/** The reports of a kind of board; those of emulators prove nothing. */
export function ofBoard(
  reports: readonly HardwareReport[],
  { model }: Pick<BoardKind, "model">,
): HardwareReport[] {
  return reports.filter(
    ({ facts: { about, board, device } }) =>
      about === "board" &&
      device === "real" &&
      // A Raspberry Pi 400 is no Raspberry Pi 4.
      (model === undefined ? board === undefined : `${board} `.startsWith(`${model} `)),
  );
}

/** The number of reports in which a step went well; `untried` for none. */
export function wellText(reports: readonly HardwareReport[], step: string): string {
  const well = reports.filter(({ steps }) =>
    steps.some(({ name, result }) => name === step && result === "ok"),
  );
  return well.length === 0 ? "untried" : `by ${well.length}`;
}

/** The reports in a few words: `verified by 2, last with 1.4.0`. */
export function triedText(reports: readonly HardwareReport[]): string {
  if (reports.length === 0) return "untried";
  const kinds = Map.groupBy(reports, standingOf);
  return ["verified by", "in part by", "trouble for"]
    .flatMap((kind) => {
      const found = kinds.get(kind) ?? [];
      const newest = found.toSorted((a, b) => madeOf(a).localeCompare(madeOf(b))).at(-1);
      if (newest === undefined) return [];
      const last = found.length === 1 ? "" : "last ";
      return [`${kind} ${found.length}, ${last}with ${newest.facts.version}`];
    })
    .join("; ");
}

function standingOf({ steps, facts }: HardwareReport): string {
  if (steps.some(({ result }) => result === "failed")) return "trouble for";
  // A board need not have all: it runs where it starts the service.
  const counted = facts.about === "board" ? steps.filter(({ name }) => name === "boot") : steps;
  const isWhole = counted.length > 0 && counted.every(({ result }) => result === "ok");
  return isWhole && facts.ended === "at its end" ? "verified by" : "in part by";
}

function madeOf({ facts }: HardwareReport): string {
  return facts.made ?? "";
}
