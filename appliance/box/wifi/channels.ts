/** An access point that was heard, whoever may join it. */
export interface AccessPoint {
  /** MHz */
  readonly frequency: number;
  /** dBm */
  readonly signal: number;
}

/** The most access points of a scan. */
const MOST_HEARD = 500;
/** Channels at 2.4 GHz that do not overlap, and that every country allows; 5 MHz a number, from 2,407. */
const CHANNELS = [1, 6, 11] as const;
/** MHz. The width of a channel with the oldest devices. */
const WIDTH = 22;
/** dBm. What is weaker is not heard in 20 MHz, and nothing in a home is stronger. */
const WEAKEST = -95;
const STRONGEST = -30;

/**
 * The access points in the output of `iw dev wlan0 scan dump`. Their names are escaped there, but other text of theirs is
 * not, so that one may make lines of its own: it can make the box choose another channel, as it could by sending more.
 */
export function heardIn(dump: string): AccessPoint[] {
  return dump
    .split(/^BSS /m, MOST_HEARD + 1)
    .slice(1)
    .flatMap((about) => {
      // Newer versions of iw write thousandths of the frequency, too.
      const frequency = Number(/^\tfreq: (\d{4})(?:\.\d+)?$/m.exec(about)?.[1]);
      const signal = Number(/^\tsignal: (-\d{1,3}(?:\.\d+)?) dBm$/m.exec(about)?.[1]);
      return Number.isNaN(frequency) || Number.isNaN(signal) ? [] : [{ frequency, signal }];
    });
}

/**
 * The channels of 1, 6 and 11 on which least is heard: several where it is as much, and all where nothing is known. A
 * station counts by its strength in dB, and by how much of its channel overlaps.
 */
export function quietestChannels(heard: readonly AccessPoint[]): readonly number[] {
  const loads = CHANNELS.map((channel) =>
    heard.reduce((sum, station) => sum + strengthOf(station) * overlapOf(station, channel), 0),
  );
  const least = Math.min(...loads);
  return CHANNELS.filter((_, index) => (loads[index] ?? 0) - least < 1e-9);
}

/** From 0 to 1. */
function strengthOf({ signal }: AccessPoint): number {
  return Math.min(1, Math.max(0, (signal - WEAKEST) / (STRONGEST - WEAKEST)));
}

/** From 0 to 1; 0 also for other bands. */
function overlapOf({ frequency }: AccessPoint, channel: number): number {
  return Math.max(0, 1 - Math.abs(frequency - 2_407 - 5 * channel) / WIDTH);
}
