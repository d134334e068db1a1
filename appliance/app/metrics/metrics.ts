import type { Clock } from "../../base/clock.ts";
import type { AnswerCounter } from "../../base/http/answer-counter.ts";
import { createClient } from "../../base/http/client.ts";
import { METRICS_LIMITS } from "../../base/http/limits.ts";
import { type Listener, listen } from "../../base/http/listen.ts";
import type { Log } from "../../base/log.ts";
import type { Family } from "../../base/metrics/open-metrics.ts";
import { metricsApp } from "../../base/metrics/page.ts";
import { EventLoopDelay, processFamilies } from "../../base/metrics/process.ts";
import { version } from "../../base/system/version.ts";
import { closeWith } from "../../base/tasks/closing.ts";
import { DISK_ERRORS } from "../../base/text/disk-errors.ts";
import type { Config } from "../../config/config.ts";
import type { DiskAnswer } from "../../control/wire.ts";
import type { TargetView } from "../../links/backups/view.ts";
import type { StoreFigures } from "../../store/store.ts";
import type { HitCounter } from "../../traffic/collector/hit-counter.ts";
import type { PlaceFigures } from "../../traffic/places/places.ts";

export interface MetricsParts {
  config: Pick<Config, "metricsPort" | "metricsBind" | "nodeName">;
  clock: Clock;
  log: Log;
  hits: HitCounter;
  answers: AnswerCounter;
  /** Undefined while the data cannot be used. */
  figures: () => StoreFigures | undefined;
  /** Undefined where the kernel tells nothing of a disk. */
  disk?: () => DiskAnswer | undefined;
  /** The places of backups that the machine makes by itself. */
  backups?: () => readonly TargetView[];
  places?: () => readonly PlaceFigures[];
  isReady: () => boolean;
}

export async function showMetrics(
  parts: MetricsParts,
  port: number,
  ends: AsyncDisposableStack,
): Promise<Listener> {
  const { config, clock, log } = parts;
  const delay = new EventLoopDelay(clock);
  ends.defer(delay.stop);
  const app = metricsApp(() => [...familiesOf(parts), ...processFamilies(delay)]);
  const listener = await listen(app, port, config.metricsBind, {
    clock,
    log,
    client: createClient([]),
    limits: METRICS_LIMITS,
  });
  closeWith(ends, listener);
  return listener;
}

function familiesOf({ config, hits, answers, isReady, ...now }: MetricsParts): Family[] {
  const [figures, disk, backups] = [now.figures(), now.disk?.(), now.backups?.() ?? []];
  const places = now.places?.() ?? [];
  const builtWith = { version: version(), node: process.versions.node };
  return [
    info("build", "What runs.", builtWith),
    info("node", "How this process is called.", { name: config.nodeName }),
    gauge("ready", "1 while visitors are to be sent here.", Number(isReady())),
    counter(
      "hits",
      "Hits that came in, of all sites.",
      hits.counts.map(({ kind, outcome, count }) => ({ labels: { kind, outcome }, value: count })),
    ),
    counter(
      "http_responses",
      "Answers of the collector, by the first digit of their status.",
      answers.classes.map(([code, value]) => ({ labels: { code }, value })),
    ),
    ...(figures === undefined ? [] : storeFamilies(figures)),
    ...(disk === undefined ? [] : diskFamilies(disk)),
    ...(backups.length === 0 ? [] : backupFamilies(backups)),
    ...(places.length === 0 ? [] : placeFamilies(places)),
  ];
}

function backupFamilies(targets: readonly TargetView[]): Family[] {
  const each = (value: (target: TargetView) => number | undefined) =>
    targets.flatMap((target) => {
      const figure = value(target);
      return figure === undefined ? [] : [{ labels: { target: target.kind }, value: figure }];
    });
  return [
    gauge(
      "backup_last_good_timestamp_seconds",
      "When the last good backup was made, in seconds since 1970.",
      each(({ good }) => (good === null ? undefined : good.at / 1_000)),
    ),
    gauge(
      "backup_last_good_bytes",
      "Its size.",
      each(({ good }) => good?.bytes),
    ),
    gauge(
      "backup_failed_tries",
      "Tries since then, all of which failed.",
      each(({ tries }) => tries),
    ),
    gauge(
      "backup_overdue",
      "1 where there was no good backup for a week.",
      each(({ isOverdue }) => Number(isOverdue)),
    ),
  ];
}

function placeFamilies(places: readonly PlaceFigures[]): Family[] {
  const each = (value: (place: PlaceFigures) => number | undefined) =>
    places.flatMap((place) => {
      const figure = value(place);
      return figure === undefined ? [] : [{ labels: { place: place.name }, value: figure }];
    });
  return [
    gauge(
      "place_last_answer_timestamp_seconds",
      "When a place answered last, in seconds since 1970.",
      each(({ answeredAt }) => (answeredAt === null ? undefined : answeredAt / 1_000)),
    ),
    gauge(
      "place_hits",
      "Hits that came from there as they were counted, since it is fetched from its beginning.",
      each(({ hits }) => hits),
    ),
    gauge(
      "place_failing",
      "1 while it cannot be asked, or is not believed.",
      each(({ isFailing, isBelieved }) => Number(isFailing || !isBelieved)),
    ),
    gauge(
      "place_silent",
      "1 where nothing was fetched for ten minutes, or it is not believed.",
      each(({ isBelieved, silentMs }) => Number(!isBelieved || silentMs !== undefined)),
    ),
  ];
}

function diskFamilies({ writtenBytes, dailyBytes, lifeYears, errors }: DiskAnswer): Family[] {
  return [
    counter("disk_written_bytes", "Written to the disk of the data.", writtenBytes),
    gauge(
      "disk_recent_errors",
      "Errors of that disk, of kinds that were seen within a week.",
      DISK_ERRORS.map((kind) => ({
        labels: { kind },
        value: errors.find((each) => each.kind === kind)?.times ?? 0,
      })),
    ),
    ...(dailyBytes === undefined
      ? []
      : [gauge("disk_daily_bytes", "Written in a day, of the last week.", dailyBytes)]),
    ...(lifeYears === undefined
      ? []
      : [gauge("disk_life_years", "How long a card stands that.", lifeYears)]),
  ];
}

function storeFamilies({ database, ...figures }: StoreFigures): Family[] {
  const [, stored = 0] = figures.commitSeconds.buckets.at(-1) ?? [];
  return [
    counter("batches", "Transactions of hits.", [
      { labels: { outcome: "stored" }, value: stored },
      { labels: { outcome: "failed" }, value: figures.failedBatches },
    ]),
    {
      ...about("commit_seconds", "How long a transaction of hits took until it was stored."),
      type: "histogram",
      of: figures.commitSeconds,
    },
    gauge("waiting_hits", "Hits in memory that are not stored.", figures.waitingHits),
    gauge("waiting_bytes", "Bytes of memory they take.", figures.waitingBytes),
    gauge(
      "storage_unavailable",
      "1 while nothing can be stored and hits wait in memory.",
      Number(figures.unavailable),
    ),
    ...(database === undefined
      ? []
      : [
          gauge("database_connections", "Open connections.", database.connections),
          counter("database_reconnects", "Lost and made anew.", database.reconnects),
          counter(
            "database_retries",
            "Transactions run again because others got in their way.",
            database.retries,
          ),
        ]),
  ];
}

type Numbers = Extract<Family, { readonly type: "counter" | "gauge" }>["samples"];

/** A name without `tallydeck_` ends with its unit, where it has one. */
function about(name: string, help: string) {
  const unit = (["seconds", "bytes"] as const).find((each) => name.endsWith(`_${each}`));
  return { name: `tallydeck_${name}`, help, ...(unit && { unit }) };
}

function numbers(value: number | Numbers): Numbers {
  return typeof value === "number" ? [{ value }] : value;
}

function gauge(name: string, help: string, value: number | Numbers): Family {
  return { ...about(name, help), type: "gauge", samples: numbers(value) };
}

function counter(name: string, help: string, value: number | Numbers): Family {
  return { ...about(name, help), type: "counter", samples: numbers(value) };
}

function info(name: string, help: string, labels: Readonly<Record<string, string>>): Family {
  return { ...about(name, help), type: "info", labels };
}
