import { type Owner, seen } from "./owner.ts";

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
