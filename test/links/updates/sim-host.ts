import { DAY_MS, HOUR_MS } from "../../../appliance/base/calendar.ts";
import type { Clock } from "../../../appliance/base/clock.ts";
import type { UpdaterState } from "../../../appliance/base/release/updater-state.ts";
import type { CheckOutcome, Unfinished } from "../../../appliance/links/updates/outcomes.ts";
import type { SignedFiles } from "../../../appliance/links/updates/record.ts";
import { refuse } from "../../../appliance/links/updates/refusals.ts";
import type { Candidate } from "../../../appliance/links/updates/view.ts";
import type { seeded } from "../../helpers/seeded.ts";
import type { SimTime } from "../../helpers/simulated.ts";
import { type Power, type SimMachine, versionOf } from "./sim-world.ts";

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;

/** A host of releases, and what the service has of them on its card; it knows how often it may be asked. */
export class SimHost {
  readonly #machine: SimMachine;
  readonly #draw: ReturnType<typeof seeded>;
  /** The true times of questions for news, and whether they were answered. */
  #asked: { at: number; isAnswered: boolean } | undefined;
  #fetchFailedAt = 0;

  constructor(machine: SimMachine, draw: ReturnType<typeof seeded>) {
    this.#machine = machine;
    this.#draw = draw;
  }

  /** The releases of the service, for one run of it. */
  releases(power: Power, clock: Pick<Clock, "sure">, kept: SignedFiles | null) {
    const machine = this.#machine;
    let found = kept === null ? undefined : Number(kept.manifest);
    const during = async <T>(work: () => Promise<T>): Promise<T> => {
      const nothing = new Promise<T>(() => {});
      if (!power.on) return nothing;
      const { boots } = machine;
      machine.running += 1;
      const result = await work().finally(() => {
        if (boots === machine.boots && power.on) machine.running -= 1;
      });
      return power.on ? result : nothing;
    };
    const check = async (
      state: UpdaterState,
      isAsked: boolean,
      signal: AbortSignal,
      isOfFetch = false,
    ): Promise<CheckOutcome> => {
      this.#judgeCheck(isAsked);
      // A fetch asks why it found nothing, whatever the time.
      if (!isAsked && !clock.sure && !isOfFetch)
        machine.problems.push("asked the host without the time");
      machine.note(`check${isAsked ? " asked for" : ""}`);
      const isAway = machine.trouble.host === "away";
      await waiting(machine.time, this.#draw.below(isAway ? 30 : 3) * SECOND_MS, power, signal);
      const isAnswered = machine.trouble.host !== "away";
      this.#asked = { at: machine.time.at, isAnswered };
      const problem = isAsked ? "The host could not be asked." : undefined;
      if (!isAnswered) return { kind: "not-checked", problem };
      const { newest } = machine;
      const isNew = newest > state.running.release && newest !== state.other?.release;
      found = isNew ? newest : undefined;
      const papers = { manifest: `${newest}`, signature: "" };
      return { kind: "checked", found: isNew ? papers : null, problem: null };
    };
    const fetch = async (
      state: UpdaterState,
      signal: AbortSignal,
    ): Promise<{ kind: "fetched" } | Unfinished | CheckOutcome> => {
      const { host, isFull } = machine.trouble;
      if (found === undefined) throw refuse("nobody");
      const release = found;
      this.#judgeFetch();
      machine.note(`fetch ${release}`);
      const unfinished = (problem: string, came: number, isFinal: boolean): Unfinished => {
        this.#fetchFailedAt = machine.time.at;
        return { kind: "unfinished", problem, came, isFinal };
      };
      if (isFull) return unfinished("There is not enough free space.", 0, true);
      const isSlow = host === "slow";
      for (let left = 1 + this.#draw.below(isSlow ? 60 : 6); left > 0; left -= 1) {
        await waiting(machine.time, 5 * SECOND_MS + this.#draw.below(20_000), power, signal);
        const now = machine.trouble.host;
        if (now === "away") return unfinished("The host could not be asked.", 0, false);
        if (now === "cut" && this.#draw.random() < 0.5)
          return unfinished("The host broke off.", this.#draw.below(2_000_000), false);
        if (now === "wrong" || now === "gone" || machine.newest !== release) {
          const why = now === "gone" ? "The host has no root.img." : "It is not what it says.";
          this.#fetchFailedAt = machine.time.at;
          const checked = await check(state, false, signal, true);
          if (signal.aborted) return checked;
          return { ...unfinished(why, 0, found !== release), checked };
        }
      }
      machine.whole = release;
      return { kind: "fetched" };
    };
    return {
      candidates: (): Candidate[] => [
        ...(machine.whole === undefined ? [] : [candidate(machine.whole, true)]),
        ...(found === undefined ? [] : [candidate(found, false)]),
      ],
      download: () => null,
      check: (state: UpdaterState, isAsked: boolean, signal: AbortSignal) =>
        during(() => check(state, isAsked, signal)),
      fetch: (state: UpdaterState, signal: AbortSignal) => during(() => fetch(state, signal)),
      takeIn: (): Promise<void> =>
        during(async () => {
          await waiting(machine.time, this.#draw.below(60) * SECOND_MS, power);
          if (machine.trouble.isFull) throw refuse("space");
          if (power.on) machine.whole = machine.newest - this.#draw.below(2);
        }),
      clean: ({ running }: UpdaterState) =>
        during(async () => {
          if (machine.whole !== undefined && machine.whole <= running.release)
            machine.whole = undefined;
          const isFoundGone = found !== undefined && found <= running.release;
          if (isFoundGone) found = undefined;
          return { kind: "cleaned" as const, isFoundGone };
        }),
      lookAgain: (signal: AbortSignal): Promise<void> =>
        during(async () => {
          await waiting(machine.time, 10 * SECOND_MS, power, signal);
          if (machine.trouble.slot === "bad" && this.#draw.random() < 0.3)
            machine.whole = undefined;
        }),
    };
  }

  #judgeCheck(isAsked: boolean): void {
    const machine = this.#machine;
    if (isAsked || this.#asked === undefined) return;
    const since = machine.time.at - this.#asked.at;
    // A fetch that found nothing asks why, ten times at most.
    if (machine.time.at - this.#fetchFailedAt < MINUTE_MS) return;
    const least = this.#asked.isAnswered ? 6 * DAY_MS : 12 * HOUR_MS;
    if (since < least && !machine.stepped(8 * DAY_MS) && machine.forgotAt < this.#asked.at)
      machine.problems.push(`asked the host ${since / HOUR_MS} h after it was asked`);
  }

  #judgeFetch(): void {
    const machine = this.#machine;
    const since = machine.time.at - this.#fetchFailedAt;
    const isSaid = Math.max(machine.wanted.saidAt, machine.forgotAt) >= this.#fetchFailedAt;
    if (since < 10 * SECOND_MS && !isSaid && !machine.stepped(HOUR_MS))
      machine.problems.push(`fetched ${since} ms after it could not be`);
  }
}

/** Waits in the simulation; for ever where the power goes. @throws {Error} where it is stopped */
function waiting(time: SimTime, ms: number, power: Power, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const cancel = time.clock(true).after(ms, () => power.on && resolve());
    signal?.addEventListener("abort", () => {
      cancel();
      if (power.on) reject(new Error("stopped"));
    });
  });
}

function candidate(release: number, isWhole: boolean): Candidate {
  const source = "network" as const;
  return { ...versionOf(release), notes: "", bytes: 1_000, source, isWhole };
}
