import type { Compared } from "../../base/comparison.ts";
import type { Pixels } from "../pixels.ts";
import type { ChannelValue } from "../push/entry.ts";

/** The value of a push channel, as far as it is known. */
export type PushedValue = Pick<ChannelValue, "text" | "color" | "background" | "state"> &
  Partial<ChannelValue>;

/** A number of a site over a period. */
export interface Numbers {
  value: number;
  /** Counts against the period before, see base/comparison; null where nothing stands against it. */
  compared: Compared | null;
  /** The period in steps, oldest first. */
  series: readonly number[];
  /** The alarm of its site: no view for improbably long, or far more than usual. */
  alarm?: "silence" | "rush";
  /** IANA name of the zone whose day a number of today is about. */
  zone?: string;
}

/** The state of the box's public address, for keys. */
export interface PublicStanding {
  /** The name by which the internet finds the box. */
  name: string;
  /** `warning`: visitors reach it still. */
  state: "live" | "working" | "warning" | "wrong";
  /** Its work or its trouble, in two or three words. */
  words: string;
  /** The same in a sentence. */
  sentence: string;
  /** The time of the last request from outside; null where it is unknown. */
  reachedAt: number | null;
}

/** The icons there are: path of a name, undefined where there is none. */
export interface IconPaths {
  path(name: string): string | undefined;
}

/** A picture at the size of a slot, with transparent bars at its sides. In JSON it is its name. */
export interface FittedImage {
  readonly pixels: Pixels;
  /** The same at so many times that size, read anew; undefined where its file is gone. */
  fine(scale: number): Promise<Pixels | undefined>;
  toJSON(): string;
}

/** The state of things that a face depends on besides its widget. */
export interface FaceContext {
  /** Epoch milliseconds. */
  now: number;
  /** False while the clock is not known to be right. */
  clockSure: boolean;
  /** IANA name of the time zone of clocks. */
  timeZone: string;
  /** Size of the slot in pixels. */
  width: number;
  height: number;
  /** The value of the widget's channel; undefined while it waits. */
  value?: PushedValue | undefined;
  /** The index of the widget's rule that holds for its number. */
  rule?: number | undefined;
  icons?: IconPaths | undefined;
  /** The picture of an image widget; undefined while it is being opened. */
  image?: FittedImage | "missing" | undefined;
  /** The numbers of a stat widget; undefined while they are not known. */
  numbers?: Numbers | undefined;
  /** URL of the Web UI; undefined while there is no network. */
  address?: string | undefined;
  /** Its URL by name, where there is one. */
  addressByName?: string | undefined;
  /** Undefined while it is off. */
  publicAddress?: PublicStanding | undefined;
}

/** Whether there is room for words beside a picture as high as the slot. */
export function isWide({ width, height }: { width: number; height: number }): boolean {
  return width >= 1.5 * height;
}
