/**
 * Boots a built image in QEMU and uses it as visitors, apps and its owner would. Started by
 * image/boot-test, which tells the options.
 */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { checkAbuse } from "./abuse.ts";
import { checkBackups } from "./backups.ts";
import { Card } from "./card.ts";
import { Checks } from "./checks.ts";
import { checkDays } from "./days.ts";
import { checkDecks } from "./decks.ts";
import { checkEmergency } from "./emergency.ts";
import { checkLateData } from "./late.ts";
import { checkNetwork } from "./network.ts";
import { checkPowerCuts, checkSwitch } from "./power.ts";
import { checkPublicAddress } from "./public-address.ts";
import { checkRelease } from "./published.ts";
import { makeRadios } from "./radios.ts";
import { checkReset } from "./reset.ts";
import { checkDialects, checkFirstBoot, checkOffline, checkRaspi3b } from "./starts.ts";
import { checkService } from "./system.ts";
import { checkTunnel } from "./tunnel.ts";
import { checkUpdates } from "./update.ts";
import { checkWifi } from "./wifi.ts";

const { values } = parseArgs({
  options: {
    image: { type: "string" },
    work: { type: "string" },
    out: { type: "string" },
    cuts: { type: "string", default: "3" },
    seed: { type: "string", default: "1" },
    only: {
      type: "string",
      default: "system,decks,service,network,public,dialects,offline,late,power,update,pi3",
    },
    moments: { type: "string", default: "6" },
    jobs: { type: "string", default: "1" },
    like: { type: "string", default: "." },
    release: { type: "string" },
    keep: { type: "boolean", default: false },
  },
});
const { image, work, out } = values;
if (image === undefined || work === undefined || out === undefined) {
  console.error("No image to boot. Build one first (image/build --raw), or name it with --image.");
  process.exit(2);
}
/** Parts with cards of their own. */
const APART = [
  ...["release", "pi3", "wifi", "wifi-short", "days", "late", "abuse"],
  ...["backups", "reset"],
  ...["update", "update-short"],
];
const parts = new Set(values.only.split(","));
const checks = new Checks();
process.once("SIGINT", () => process.exit(1));
// Whose time is over has failed where a check has; else it may be tried again.
process.once("SIGTERM", () => process.exit(checks.close() || 75));
const card = new Card(image, work);
console.log(`# ${image}, seed ${values.seed}`);

if ([...parts].some((part) => !APART.includes(part))) await checkCard(out);
if (parts.has("update") || parts.has("update-short"))
  await checkUpdates(checks, image, {
    work: join(work, "update"),
    seed: Number(values.seed),
    moments: Number(values.moments),
    jobs: Number(values.jobs),
    isShort: !parts.has("update"),
    like: new RegExp(values.like),
  });
if (parts.has("release") && values.release !== undefined)
  await checkRelease(checks, image, { folder: values.release, work: join(work, "published") });
if (parts.has("late")) await checkLateData(checks, new Card(image, join(work, "late")));
if (parts.has("abuse"))
  await checkAbuse(checks, new Card(image, join(work, "abuse")), Number(values.seed));
if (parts.has("wifi") || parts.has("wifi-short"))
  await checkWifi(checks, new Card(image, join(work, "wifi")), {
    disk: radiosIn(join(work, "wifi")),
    out,
    isShort: !parts.has("wifi"),
    like: new RegExp(values.like),
  });
if (parts.has("backups")) await checkBackups(checks, image, join(work, "backups"));
if (parts.has("reset")) await checkReset(checks, new Card(image, join(work, "reset")));
if (parts.has("days")) await checkDays(checks, new Card(image, join(work, "days")), out);
if (parts.has("pi3"))
  await checkRaspi3b(checks, new Card(image, join(work, "pi3")), join(out, "pi3"));
if (!values.keep) rmSync(join(work), { recursive: true });
process.exitCode = checks.close();

/** A disk with radios. That there is none is no fault of the image: 75, as for whose time is over. */
function radiosIn(folder: string): string {
  try {
    return makeRadios(folder);
  } catch (error) {
    console.error(`The Wi-Fi is not checked. ${(error as Error).message}`);
    process.exit(checks.close() || 75);
  }
}

/** A first start, and what follows on the same card. */
async function checkCard(out: string): Promise<void> {
  const { box, token } = await checkFirstBoot(checks, card, {
    thoroughly: parts.has("system"),
    out,
  });
  if (parts.has("decks")) await checkDecks(checks, box, out);
  if (parts.has("service")) await checkService(checks, box);
  if (parts.has("emergency")) await checkEmergency(checks, box);
  if (parts.has("network")) await checkNetwork(checks, box);
  if (parts.has("public")) await checkTunnel(checks, box);
  await checkSwitch(checks, box, "restart");
  if (parts.has("public")) await checkPublicAddress(checks, card, token);
  if (parts.has("dialects")) await checkDialects(checks, card, token);
  if (parts.has("offline")) await checkOffline(checks, card);
  if (parts.has("power"))
    await checkPowerCuts(checks, card, token, {
      cuts: Number(values.cuts),
      seed: Number(values.seed),
    });
  await box.machine.cutPower();
}
