import type { Day } from "../../base/calendar.ts";
import type { Numbers, SiteKey } from "../../store/store.ts";

/** Notes the days on which links are used, once a day each: a link that is open asks every few seconds. */
export class ShareUses {
  readonly #numbers: Pick<Numbers, "clock" | "write" | "zone">;
  #day: Day | undefined;
  /** The links that are noted for that day. */
  readonly #noted = new Set<string>();

  constructor(numbers: Pick<Numbers, "clock" | "write" | "zone">) {
    this.#numbers = numbers;
  }

  note(site: SiteKey, share: string): void {
    const { clock, zone } = this.#numbers;
    if (!clock.sure) return;
    const day = zone.today(clock.now());
    if (day !== this.#day) this.#noted.clear();
    this.#day = day;
    const which = `${site} ${share}`;
    if (this.#noted.has(which)) return;
    this.#noted.add(which);
    // The next use tries again.
    const failed = () => this.#noted.delete(which);
    this.#numbers.write("saveShareUse", { site, share, day }).catch(failed);
  }
}
