import { Refusal } from "../../appliance/base/refusal.ts";
import { Signal } from "../../appliance/base/signal.ts";
import type { WayIn } from "../../appliance/control/routes/box/public-address.ts";
import { checkPublicSettings } from "../../appliance/links/public/checked.ts";
import {
  FIRST_PUBLIC_SETTINGS,
  type PublicSettings,
} from "../../appliance/links/public/settings.ts";
import type { PublicView, StepView } from "../../appliance/links/public/view.ts";

const STEPS: readonly StepView["step"][] = ["name", "address", "port", "certificate", "reached"];

/** A public address that stands as a test says: nothing is asked, nothing opened. */
export class FakePublicAddress {
  readonly changed = new Signal();
  readonly terms = "https://letsencrypt.org/repository/";
  readonly certificateChanged = new Signal();
  certificate: WayIn["certificate"];
  isDeclared = false;
  port = 443;
  settings: PublicSettings = FIRST_PUBLIC_SETTINGS;
  #shown: Partial<PublicView> = {};
  #testsLeft = 10;
  /** The number of times that the whole view was made. */
  views = 0;

  view(): PublicView {
    const { enabled, name } = this.settings;
    this.views += 1;
    return {
      state: enabled ? "finding-address" : "off",
      live: false,
      url: name === "" ? null : `https://${name}`,
      headline: enabled ? "The machine works on it." : "",
      steps: stepsTo("name"),
      expiresAt: null,
      reachedAt: null,
      testsLeft: this.#testsLeft,
      warnings: [],
      ...this.#shown,
    };
  }

  warnings(): PublicView["warnings"] {
    return this.#shown.warnings ?? [];
  }

  outerAddress(): undefined {}

  reached(): void {
    this.show({ ...this.#shown, reachedAt: Date.now() });
  }

  /** From now on it stands so. */
  show(view: Partial<PublicView>): void {
    this.#shown = view;
    this.changed.emit();
  }

  async change(given: PublicSettings): Promise<void> {
    this.settings = checkPublicSettings(given);
    this.changed.emit();
  }

  async test(): Promise<void> {
    if (this.#testsLeft === 0)
      throw new Refusal("test_limit", "Ten tests ran within an hour. Try again later.", {
        retryAfter: 600,
      });
    this.#testsLeft -= 1;
    this.changed.emit();
  }
}

/** The chain up to a step that does not go on. */
export function stepsTo(
  at: StepView["step"] | "end",
  view: Partial<StepView> = { state: "working" },
): StepView[] {
  const place = at === "end" ? STEPS.length : STEPS.indexOf(at);
  return STEPS.map((step, index) => ({
    step,
    state: index < place ? "done" : "waiting",
    sentence: index < place ? DONE[step] : "",
    ...(index === place && view),
  }));
}

const DONE: Readonly<Record<StepView["step"], string>> = {
  name: "stats.example.com",
  address: "stats.example.com leads to your home, 203.0.113.7.",
  port: "The router leads port 443 here.",
  certificate: "Valid until 14 January 2027, renewed by itself.",
  reached: "Somebody came in from outside 2 minutes ago.",
};
