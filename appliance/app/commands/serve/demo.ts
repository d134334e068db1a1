import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Day, dayOf } from "../../../base/calendar.ts";
import type { Clock } from "../../../base/clock.ts";
import { DayZone } from "../../../base/day-zone.ts";
import { GOALS } from "../../../base/input/goals.ts";
import { MARKS } from "../../../base/input/marks.ts";
import { SAVED_VIEWS } from "../../../base/input/saved-views.ts";
import type { Config } from "../../../config/config.ts";
import { firstSettings, virtualId } from "../../../deck/identity.ts";
import {
  DECKS,
  type DeckSettings,
  deckDocument,
  slotsOf,
} from "../../../deck/settings/deck-settings.ts";
import { onePage } from "../../../deck/settings/pages.ts";
import { modelById } from "../../../deck/usb/models.ts";
import {
  type Desk,
  detailFrom,
  documentsChange,
  ImportedCounts,
  openToChange,
} from "../../../store/desk.ts";
import { demoWidgets } from "../../../traffic/demo/decks.ts";
import { DEMO_DAYS, DEMO_SITES, demoDays } from "../../../traffic/demo/demo.ts";
import { DEMO_GOALS, DEMO_VIEWS, DemoLife, demoMarks } from "../../../traffic/demo/life.ts";
import type { Service } from "../../service/service.ts";

const TOKEN = "demo";

/** Made-up data in a folder of its own, which is removed when the service stops. */
export interface Demo {
  readonly config: Config;
  /** Fills an empty database; later calls do nothing. */
  fill(): Promise<void>;
  /** Lets it go on: visitors come, a build fails now and then. @returns what ends that */
  live(service: Pick<Service, "store" | "channels">, clock: Clock): Promise<() => void>;
  remove(): void;
}

/** @param now epoch milliseconds: the made-up days end with this one, in the zone of the configuration. */
export function startDemo(config: Config, now: number): Demo {
  const dataDir = mkdtempSync(join(tmpdir(), "tallydeck-demo-"));
  const virtualDecks = config.virtualDecks.length > 0 ? config.virtualDecks : ["mk2"];
  const zone = { zone: config.dayZone ?? "UTC", before: null };
  let filled = false;
  return {
    config: {
      ...config,
      dataDir,
      sites: DEMO_SITES.map((id) => ({ id, host: null })),
      badgeSites: DEMO_SITES,
      adminToken: config.adminToken ?? TOKEN,
      retentionDays: Math.max(config.retentionDays, DEMO_DAYS),
      virtualDecks,
    },
    async fill() {
      if (filled) return;
      filled = true;
      const desk = await openToChange({ dataDir });
      try {
        await importDays(desk, { config, zone: new DayZone(zone), now });
        const put = demoDecks(virtualDecks).map(deckDocument);
        const documents = [documentsChange(DECKS, { put })];
        await desk.write("importSettings", { sites: [], documents });
      } finally {
        await desk.close();
      }
    },
    async live({ store: { numbers }, channels }, clock) {
      for (const id of DEMO_SITES) {
        const marks = demoMarks(numbers.zone.today(clock.now()));
        await numbers.write("setOfSite", { id, kind: GOALS.name, body: { goals: DEMO_GOALS } });
        await numbers.write("setOfSite", { id, kind: MARKS.name, body: { marks } });
        await numbers.write("setOfSite", {
          id,
          kind: SAVED_VIEWS.name,
          body: { views: DEMO_VIEWS },
        });
      }
      const keys = new Map(numbers.directory.sites.map(({ id, key }) => [id, key]));
      const life = new DemoLife({
        clock,
        random: Math.random,
        count: (site, hit) => void numbers.count(keys.get(site) ?? null, hit),
        push: (channel, push) => void channels.set(channel, push),
      });
      return () => life.close();
    },
    remove: () => rmSync(dataDir, { recursive: true, force: true }),
  };
}

/** The days to make up: they end at `now` (epoch milliseconds). */
interface Made {
  readonly config: Config;
  readonly zone: DayZone;
  readonly now: number;
}

/** Writes the made-up days as imports are, but as what was counted here. */
async function importDays(desk: Desk, { config, zone, now }: Made): Promise<void> {
  const wall = zone.wall(now);
  const today = dayOf(wall);
  const about = { format: "Tallydeck", zone: zone.setting.zone, gaps: [] };
  const made = (await desk.directory()).sites.map(({ id, key }) => ({
    id,
    whose: { origin: null, name: "demo", about, site: key, now },
    counts: new ImportedCounts(detailFrom({ ...config, today })),
    surveys: [] as { number: number; version: number; day: Day; payload: string }[],
  }));
  for (const { site, day, hits, surveys } of demoDays(wall))
    for (const its of made.filter(({ id }) => id === site)) {
      for (const hit of hits) its.counts.hit(hit);
      for (const survey of surveys) {
        const number = its.surveys.length;
        its.surveys.push({ number, version: survey.sv, day, payload: JSON.stringify(survey) });
      }
    }
  for (const { whose, counts, surveys } of made) {
    counts.end();
    for (const month of counts.months(() => true))
      await desk.write("importMonth", { ...whose, ...month, today, instead: [], known: [] });
    await desk.write("importRest", { ...whose, past: {}, surveys });
  }
}

/** The virtual decks as they are first met, with something on every key. */
function demoDecks(models: readonly string[]): DeckSettings[] {
  const decks = new Map<string, DeckSettings>();
  for (const model of models.flatMap((id) => modelById(id) ?? [])) {
    const id = virtualId(model, decks);
    const names = new Set([...decks.values()].map(({ name }) => name));
    const slots = slotsOf(demoWidgets(model.slots.map(({ slot }) => slot)));
    decks.set(id, { ...firstSettings({ id, model, serial: "" }, names), ...onePage(slots) });
  }
  return [...decks.values()];
}
