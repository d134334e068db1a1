import { DAY_MS } from "../../base/calendar.ts";
import type { Clock } from "../../base/clock.ts";
import { type Cancel, Signal } from "../../base/signal.ts";
import type { StandingSource } from "../../box/box-notices.ts";
import type { Backups } from "../../links/backups/backups.ts";
import type { TargetView } from "../../links/backups/view.ts";

/** The backups as key, screen and dashboards show them; they begin after those. */
export class BackupWatch implements StandingSource<string> {
  readonly changed = new Signal();
  readonly #clock: Pick<Clock, "now">;
  #backups: Pick<Backups, "targets" | "changed"> | undefined;

  constructor(clock: Pick<Clock, "now">) {
    this.#clock = clock;
  }

  /** Tells of these from now on, until it is cancelled. */
  follow(backups: Pick<Backups, "targets" | "changed">): Cancel {
    this.#backups = backups;
    this.changed.emit();
    const stop = backups.changed.on(() => this.changed.emit());
    return () => {
      stop();
      this.#backups = undefined;
    };
  }

  /** None before they have begun. */
  get targets(): readonly TargetView[] {
    return this.#backups?.targets ?? [];
  }

  warnings(): readonly "backup_overdue"[] {
    return this.#late().length > 0 ? ["backup_overdue"] : [];
  }

  standing(): string | undefined {
    const late = this.#late();
    if (late.length === 0) return undefined;
    if (late.some(({ good }) => good === null)) return "none yet";
    const oldest = Math.min(...late.map(({ good }) => good?.at ?? 0));
    return `${Math.floor((this.#clock.now() - oldest) / DAY_MS)} days old`;
  }

  #late() {
    return this.targets.filter(({ isOverdue }) => isOverdue);
  }
}
