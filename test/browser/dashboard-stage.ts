import { DEMO_SITES, demoDays } from "../../appliance/demo/demo.ts";
import { importDays } from "../../appliance/store/sqlite/counts/import.ts";
import { FakeClock } from "../helpers/fake-clock.ts";
import { sharedWorld, type World } from "../helpers/world.ts";
import { type Owner, seen } from "./owner.ts";

const NOW = "2026-03-04T12:30:00Z";
/** A site of the demo's. */
export const NOTES = "/dashboard?site=fieldnotes";

/** A service with the traffic of the demo, at noon of 4 March 2026. */
export function demoWorld(): () => World {
  return sharedWorld({
    clock: new FakeClock(NOW),
    env: { SITES: DEMO_SITES.join(",") },
    prepare: (db) => importDays(db, demoDays(Date.parse(NOW))),
  });
}

/** The one button of the period; its name holds what is shown. */
const periodButton = (owner: Owner) => owner.page.getByRole("button", { name: /^Period: / });

export const openPeriod = (owner: Owner) => periodButton(owner).click();

/** Chooses a period by its name. */
export async function choosePeriod(owner: Owner, name: string): Promise<void> {
  await openPeriod(owner);
  await owner.page.locator(".presets").getByRole("button", { name, exact: true }).click();
}

/** What the button of the period says first. */
export const periodName = (owner: Owner) => seen(periodButton(owner).locator("b"));

/** Opens what is behind the dots. */
export async function openMore(owner: Owner): Promise<void> {
  await owner.page.getByRole("button", { name: "More", exact: true }).click();
}
