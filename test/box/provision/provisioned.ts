import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type KeptSettings, NOTHING_KEPT } from "../../../appliance/box/provision/kept.ts";
import { provision } from "../../../appliance/box/provision/provision.ts";
import { timeZonesIn } from "../../../appliance/box/provision/time-zones.ts";

const FIXTURES = join(import.meta.dirname, "../../fixtures/provision");
export const KEY =
  "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHRoaXMtaXMtYS10ZXN0LWtleS0wMTIzNDU2Nzg5YWJj anna@laptop";

export type Files = Record<string, string | Uint8Array>;

export function fixture(file: string): string {
  return readFileSync(join(FIXTURES, file.replace(/\.txt$/, "")), "utf8");
}

/** The outcome of the files on a boot partition. */
export function provisioned(files: Files, before: KeptSettings = NOTHING_KEPT) {
  const outcome = provision(
    before,
    (file) => {
      const content = files[file];
      return typeof content === "string" ? Buffer.from(content) : content;
    },
    timeZonesIn(join(FIXTURES, "zoneinfo")),
  );
  const values = Object.fromEntries(
    Object.entries(outcome.settings).map(([name, { value }]) => [name, value]),
  );
  const ignored = outcome.results.flatMap(({ findings }) =>
    findings.flatMap(({ label, ignored }) =>
      ignored === undefined ? [] : [`${label}: ${ignored}`],
    ),
  );
  const notes = outcome.results.flatMap(({ findings }) =>
    findings.flatMap(({ label, note }) => (note === undefined ? [] : [`${label}: ${note}`])),
  );
  const left = Object.fromEntries(
    outcome.results.map(({ file, rewritten }) => [file, rewritten ?? files[file]]),
  );
  return { ...outcome, values, ignored, notes, left: left as Record<string, string> };
}

/** A `network-config` with one access point. */
export function accessPoint(ssid: string, ...lines: string[]): Files {
  return {
    "network-config": [
      "network:",
      "  version: 2",
      "  wifis:",
      "    wlan0:",
      "      access-points:",
      `        ${ssid}:`,
      ...lines.map((line) => `          ${line}`),
      "",
    ].join("\n"),
  };
}

export function env(...lines: string[]): Files {
  return { "tallydeck.env": `${lines.join("\n")}\n` };
}
