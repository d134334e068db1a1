import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { rootFolders } from "../../appliance/base/system/root-requests.ts";
import type { WifiState } from "../../appliance/box/ipc/wifi-state.ts";
import { IDLE_WIFI as IDLE } from "../helpers/box-parts.ts";
import { eachFolder } from "../helpers/folder.ts";
import { eachControl } from "./control-stage.ts";

describe("the Wi-Fi in the Web UI", () => {
  const folder = eachFolder();
  const root = () => rootFolders(folder()).wifi;
  const tell = (change: Partial<WifiState>) =>
    writeFileSync(join(root(), "state.json"), JSON.stringify({ ...IDLE, ...change }));
  const control = eachControl(() => {
    mkdirSync(join(root(), "asked"), { recursive: true });
    tell({});
    return { env: { ROOT_DIR: folder() } };
  });

  /** Root tells something, and the service looks at it. */
  const rootSays = async (change: Partial<WifiState>) => {
    tell(change);
    for (let looks = 0; looks < 3; looks += 1) {
      control().world.clock.advance(1_000);
      await pause(50);
    }
  };

  it("is changed, and says what came of it", async () => {
    await control().open("?tab=box&part=connections");
    const card = control().region("Wi-Fi");
    await card.getByText("Join another network").click();
    await card.getByLabel("Name", { exact: true }).fill("Haus am See");
    await card.getByLabel("Password", { exact: true }).fill("short");
    await card.getByRole("button", { name: "Join" }).click();
    await card.getByText(/must be 8 to 63 characters/).waitFor();
    control().owner.expectTrouble(/400/);
    await card.getByLabel("Password", { exact: true }).fill("right password");
    await card.getByLabel("Country").fill("ch");
    await control().owner.assertAccessibleInAnyLight('[aria-labelledby="wifi-title"]');
    if (process.env.PICTURES)
      await card.screenshot({ path: `${process.env.PICTURES}/wifi-card.png` });
    await card.getByRole("button", { name: "Join" }).click();
    await card.getByText("The box was asked to join Haus am See.").waitFor();
    assert.equal(await card.getByLabel("Password", { exact: true }).inputValue(), "");
    assert.deepEqual(JSON.parse(readFileSync(join(root(), "asked/join.json"), "utf8")), {
      name: "Haus am See",
      password: "right password",
      country: "CH",
      hidden: false,
    });
    await rootSays({ phase: "changing", network: "Haus am See" });
    await card.getByText("The box joins Haus am See…").waitFor();
    await rootSays({ trouble: { reason: "not-accepted", network: "Haus am See", at: null } });
    await card.getByText("The password was not accepted by Haus am See.").waitFor();
  });
});
