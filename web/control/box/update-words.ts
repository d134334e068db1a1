import type { UpdateView } from "../../../appliance/control/wire.ts";
import { clockOf } from "../times.ts";
import { bytesName } from "./box-words.ts";

type Ready = NonNullable<UpdateView["ready"]>;
type Progress = NonNullable<UpdateView["progress"]>;

/** `Update ready: 0.3.0, 200 MB` */
export function readyTitle({ version, bytes, isSkipped }: Ready): string {
  const size = bytes === 0 ? "" : `, ${bytesName(bytes)}`;
  return `${isSkipped ? "Left out" : "Update ready"}: ${version}${size}`;
}

const ORIGINS: Readonly<Record<Exclude<Ready["source"], "network">, string>> = {
  upload: "It was uploaded here.",
  card: "It came on the card.",
  stick: "It came on a USB stick.",
};

/** The origin of a release, and the steps before it can be installed. */
export function originText({ source, state }: Ready, host: string | null): string {
  const at = host === null ? "" : ` from ${host}`;
  if (source !== "network") return ORIGINS[source];
  return state === "offered" ? `It is downloaded${at} when you install it.` : "It is here.";
}

const STEPS: Readonly<Record<Progress["step"], string>> = {
  download: "Downloading",
  verify: "Checking the signature",
  write: "Writing beside the running system",
  "read-back": "Reading back what was written",
  arm: "Restarting",
  restart: "Restarting",
};

/** `Downloading: 120 MB of 200 MB`; without figures where there is nothing to count. */
export function progressText({ step, done, of }: Progress): string {
  return of === 0 ? STEPS[step] : `${STEPS[step]}: ${sentText(done, of)}`;
}

/** `120 MB of 200 MB` */
export function sentText(done: number, of: number): string {
  return `${bytesName(done)} of ${bytesName(of)}`;
}

/** Whether the box is about to be away, or is: it cannot be stopped any more. */
export function isRestarting({ progress }: UpdateView): boolean {
  return progress?.step === "arm" || progress?.step === "restart";
}

/** Whether a release is on its way to the other slot, or into use. */
export function isAtWork({ progress, restartsAt, ready }: UpdateView): boolean {
  const isUnderWay = ready?.state === "downloading" || ready?.state === "writing";
  return progress !== null || restartsAt !== null || isUnderWay;
}

/** `Installing 0.3.0`, or an older one. */
export function workTitle({ next, isCalledOff, running }: UpdateView): string {
  if (next === null) return "Restarting";
  if (isCalledOff) return `Writing ${next.version}`;
  return `${next.release < running.release ? "Going back to" : "Installing"} ${next.version}`;
}

/** Farther away it is said by the clock. */
const COUNTED_DOWN_MS = 15 * 60_000;

/** The time of the restart in words, both in epoch milliseconds: `in 0:42`, `at 04:00`. */
export function whenText(at: number, now: number): string {
  return at - now < COUNTED_DOWN_MS ? `in ${clockOf((at - now) / 1_000)}` : `at ${hourText(at)}`;
}

function hourText(at: number): string {
  return new Intl.DateTimeFormat("en-GB", { timeStyle: "short" }).format(at);
}

/** The policy of the box for releases, where the owner does nothing. */
export function policyText({ updates, source, isUntriedBoard }: UpdateView): string {
  const atNight = isUntriedBoard
    ? "installs it at 4 at night once you have installed one yourself, for updates on this board were never tried"
    : "installs it at 4 at night";
  if (updates === "off" || source === null) {
    const nobody =
      "The box asks nobody for releases. Upload one here, or bring it on the card or a USB stick.";
    return updates === "auto" ? `${nobody} The box ${atNight}.` : nobody;
  }
  const then = updates === "auto" ? atNight : "installs it only when you say so";
  return `Once a week the box asks ${source} for a newer release, and ${then}.`;
}

/** Whether something about updates waits for the owner. */
export function waits(update: UpdateView): boolean {
  const { ready, last, mode } = update;
  const isOpen = ready !== null && !ready.isSkipped && !ready.failedBefore;
  return mode === "visit" || (last !== null && !last.isSeen) || (isOpen && !isAtWork(update));
}
