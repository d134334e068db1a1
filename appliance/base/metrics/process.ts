import { type Clock, every } from "../clock.ts";
import type { Cancel } from "../signal.ts";
import { Histogram } from "./histogram.ts";
import type { Family } from "./open-metrics.ts";

const LOOK_MS = 250;
/** Bounds of a histogram. */
const DELAY_SECONDS = [0.002, 0.01, 0.05, 0.25, 1];

/** The delay of timers, which is that of all work in the event loop. */
export class EventLoopDelay {
  readonly seconds = new Histogram(DELAY_SECONDS);
  readonly stop: Cancel;

  constructor(clock: Pick<Clock, "monotonic" | "after">) {
    let at = clock.monotonic();
    this.stop = every(clock, LOOK_MS, () => {
      const now = clock.monotonic();
      this.seconds.observe(Math.max(0, now - at - LOOK_MS) / 1_000);
      at = now;
    });
  }
}

/** The resources that this process takes of its machine; names as all programs have them. */
export function processFamilies({ seconds }: Pick<EventLoopDelay, "seconds">): Family[] {
  const { user, system } = process.cpuUsage();
  return [
    {
      name: "process_cpu_seconds",
      type: "counter",
      unit: "seconds",
      help: "Processor time of all threads.",
      samples: [{ value: (user + system) / 1e6 }],
    },
    {
      name: "process_resident_memory_bytes",
      type: "gauge",
      unit: "bytes",
      help: "Memory that this process holds.",
      samples: [{ value: process.memoryUsage.rss() }],
    },
    {
      name: "process_uptime_seconds",
      type: "gauge",
      unit: "seconds",
      help: "Time since the start.",
      samples: [{ value: process.uptime() }],
    },
    {
      name: "tallydeck_event_loop_delay_seconds",
      type: "histogram",
      unit: "seconds",
      help: "How late timers came, looked at four times a second.",
      of: seconds,
    },
  ];
}
