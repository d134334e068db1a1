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
  /** Whether visitors are to be sent here. */
  isReady: () => boolean;
}

/** Opens the listener of `/metrics`, on a port of its own. */
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
  return [
    {
      name: "tallydeck_build",
      type: "info",
      help: "What runs.",
      labels: { version: version(), node: process.versions.node },
    },
    {
      name: "tallydeck_node",
      type: "info",
      help: "How this process is called.",
      labels: { name: config.nodeName },
    },
    gauge("tallydeck_ready", "1 while visitors are to be sent here.", Number(isReady())),
    {
      name: "tallydeck_hits",
      type: "counter",
      help: "Hits that came in, of all sites.",
      samples: hits.counts.map(({ kind, outcome, count }) => ({
        labels: { kind, outcome },
        value: count,
      })),
    },
    {
      name: "tallydeck_http_responses",
      type: "counter",
      help: "Answers of the collector, by the first digit of their status.",
      samples: answers.classes.map(([code, value]) => ({ labels: { code }, value })),
    },
    ...(figures === undefined ? [] : storeFamilies(figures)),
    ...(disk === undefined ? [] : diskFamilies(disk)),
    ...(backups.length === 0 ? [] : backupFamilies(backups)),
  ];
}

function backupFamilies(targets: readonly TargetView[]): Family[] {
  const each = (value: (target: TargetView) => number | undefined) =>
    targets.flatMap((target) => {
      const figure = value(target);
      return figure === undefined ? [] : [{ labels: { target: target.kind }, value: figure }];
    });
  return [
    {
      name: "tallydeck_backup_last_good_timestamp_seconds",
      type: "gauge",
      unit: "seconds",
      help: "When the last good backup was made, in seconds since 1970.",
      samples: each(({ good }) => (good === null ? undefined : good.at / 1_000)),
    },
    {
      name: "tallydeck_backup_last_good_bytes",
      type: "gauge",
      unit: "bytes",
      help: "Its size.",
      samples: each(({ good }) => good?.bytes),
    },
    {
      name: "tallydeck_backup_failed_tries",
      type: "gauge",
      help: "Tries since then, all of which failed.",
      samples: each(({ tries }) => tries),
    },
    {
      name: "tallydeck_backup_overdue",
      type: "gauge",
      help: "1 where there was no good backup for a week.",
      samples: each(({ isOverdue }) => Number(isOverdue)),
    },
  ];
}

function diskFamilies({ writtenBytes, dailyBytes, lifeYears, errors }: DiskAnswer): Family[] {
  return [
    {
      ...counter("tallydeck_disk_written_bytes", "Written to the disk of the data.", writtenBytes),
      unit: "bytes",
    },
    {
      name: "tallydeck_disk_recent_errors",
      type: "gauge",
      help: "Errors of that disk, of kinds that were seen within a week.",
      samples: DISK_ERRORS.map((kind) => ({
        labels: { kind },
        value: errors.find((each) => each.kind === kind)?.times ?? 0,
      })),
    },
    ...(dailyBytes === undefined
      ? []
      : [
          {
            ...gauge(
              "tallydeck_disk_daily_bytes",
              "Written in a day, of the last week.",
              dailyBytes,
            ),
            unit: "bytes",
          } as const,
        ]),
    ...(lifeYears === undefined
      ? []
      : [gauge("tallydeck_disk_life_years", "How long a card stands that.", lifeYears)]),
  ];
}

function storeFamilies({ database, ...figures }: StoreFigures): Family[] {
  const [, stored = 0] = figures.commitSeconds.buckets.at(-1) ?? [];
  return [
    {
      name: "tallydeck_batches",
      type: "counter",
      help: "Transactions of hits.",
      samples: [
        { labels: { outcome: "stored" }, value: stored },
        { labels: { outcome: "failed" }, value: figures.failedBatches },
      ],
    },
    {
      name: "tallydeck_commit_seconds",
      type: "histogram",
      unit: "seconds",
      help: "How long a transaction of hits took until it was stored.",
      of: figures.commitSeconds,
    },
    gauge("tallydeck_waiting_hits", "Hits in memory that are not stored.", figures.waitingHits),
    {
      ...gauge("tallydeck_waiting_bytes", "Bytes of memory they take.", figures.waitingBytes),
      unit: "bytes",
    },
    gauge(
      "tallydeck_storage_unavailable",
      "1 while nothing can be stored and hits wait in memory.",
      Number(figures.unavailable),
    ),
    ...(database === undefined
      ? []
      : [
          gauge("tallydeck_database_connections", "Open connections.", database.connections),
          counter("tallydeck_database_reconnects", "Lost and made anew.", database.reconnects),
          counter(
            "tallydeck_database_retries",
            "Transactions run again because others got in their way.",
            database.retries,
          ),
        ]),
  ];
}

function gauge(name: string, help: string, value: number): Family {
  return { name, type: "gauge", help, samples: [{ value }] };
}

function counter(name: string, help: string, value: number): Family {
  return { name, type: "counter", help, samples: [{ value }] };
}
