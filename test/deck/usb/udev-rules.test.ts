import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { MODELS } from "../../../appliance/deck/usb/models.ts";

function path(name: string): string {
  return fileURLToPath(new URL(`../../../${name}`, import.meta.url));
}

describe("The udev rules of the image", () => {
  const rules = readFileSync(
    path("firmware-config/system/etc/udev/rules.d/70-tallydeck.rules"),
    "utf8",
  );

  it("are what scripts/make-udev-rules makes of the model table", () => {
    assert.equal(rules, execFileSync(path("scripts/make-udev-rules"), { encoding: "utf8" }));
  });

  it("give the service both nodes of every deck, and nobody else", () => {
    const lines = rules.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
    const ids = MODELS.flatMap(({ usb }) => usb);
    assert.equal(lines.length, 2 * ids.length);
    for (const line of lines) {
      assert.match(
        line,
        /^SUBSYSTEM=="(usb|hidraw)",.* ATTRS?\{idVendor\}=="[0-9a-f]{4}", ATTRS?\{idProduct\}=="[0-9a-f]{4}", GROUP="tallydeck", MODE="0660"$/,
      );
    }
  });
});
