import type { DocumentKind } from "../../base/documents.ts";
import { GOALS } from "../../base/input/goals.ts";
import { LEFT_OUT } from "../../base/input/left-out.ts";
import { MARKS } from "../../base/input/marks.ts";
import { SAVED_VIEWS } from "../../base/input/saved-views.ts";
import { VALUE_RULES } from "../../base/input/value-rules.ts";
import {
  type DayContent,
  type Desk,
  daysOfMonth,
  firstDayOf,
  type SiteRecord,
  SURVEY_LABELS,
} from "../../store/desk.ts";
import type { Gap } from "../../store/reports.ts";

/** A site, as an export reads it: of one moment a month, for the counting goes on. */
export class ExportedSite {
  readonly id: string;
  /** The zone of its days, an IANA name. */
  readonly zone: string;
  readonly #desk: Pick<Desk, "read">;
  readonly #key: SiteRecord["key"];

  constructor(desk: Pick<Desk, "read">, { id, key }: SiteRecord, zone: string) {
    this.#desk = desk;
    this.#key = key;
    this.id = id;
    this.zone = zone;
  }

  /** The days with content, ascending, with the share of the months that is done, 0 to 1. */
  async *days(): AsyncGenerator<{
    readonly day: string;
    readonly content: DayContent;
    readonly share: number;
  }> {
    const site = this.#key;
    const months = await this.#desk.read("monthsOfSite", { site });
    for (const [n, month] of months.entries()) {
      const pieces = await this.#desk.read("monthOfSite", { site, month });
      if (pieces === null) continue;
      for (const [day, content] of daysOfMonth(month, pieces))
        yield { day, content, share: n / months.length };
    }
  }

  /** The days of which an import did not know all counters. */
  async gaps(): Promise<readonly Gap[]> {
    const site = this.#key;
    const months = await this.#desk.read("monthsOfSite", { site });
    const [first, last] = [months[0], months.at(-1)];
    if (first === undefined || last === undefined) return [];
    const range = { site, from: firstDayOf(first), to: firstDayOf(last + 1) - 1 };
    return this.#desk.read("gapsOfSite", range);
  }

  past(): Promise<Readonly<Record<string, number>>> {
    return this.#desk.read("pastOfSite", { site: this.#key });
  }

  /** Responses of surveys in their order: a day, and JSON. */
  async *surveys(): AsyncGenerator<{ readonly day: number; readonly payload: string }> {
    for (let after = 0; ; ) {
      const page = await this.#desk.read("surveysOfSite", { site: this.#key, after, limit: PAGE });
      yield* page;
      const last = page.at(-1);
      if (last === undefined) return;
      after = last.id;
    }
  }

  /** The settings of its owner, by the name of their kind; none that is an address or a secret. */
  async *settings(): AsyncGenerator<readonly [name: string, body: unknown]> {
    for (const { name } of EXPORTED_SETTINGS) {
      const json = await this.#desk.read("ofSite", { site: this.#key, kind: name });
      if (json !== null) yield [name, JSON.parse(json)];
    }
  }
}

const PAGE = 1_000;

/** The settings that go with a site: a digest has an address in it. */
const EXPORTED_SETTINGS: readonly DocumentKind[] = [
  GOALS,
  MARKS,
  SAVED_VIEWS,
  SURVEY_LABELS,
  LEFT_OUT,
  VALUE_RULES,
];
