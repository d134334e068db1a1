import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { effectsOf } from "../../../appliance/box/provision/effects.ts";
import { DIALECTS } from "../../../appliance/box/provision/provision.ts";
import { report } from "../../../appliance/box/provision/report.ts";
import { readConfig } from "../../../appliance/config/config.ts";
import { randomFrom } from "../../../appliance/traffic/demo/random.ts";
import { isDrawn } from "../../helpers/long.ts";
import { fixture, provisioned } from "./provisioned.ts";

describe("settings on the boot partition", () => {
  it("survive seeded manglings: no throw, no control character, only known settings", () => {
    for (let seed = 1; seed <= 500; seed++) {
      if (!isDrawn(seed)) continue;
      const random = randomFrom(seed);
      const files = Object.fromEntries(
        [...DIALECTS.keys()].map((file) => [file, mangled(fixture(file), random)]),
      );
      const { kept, settings, values, left } = provisioned(files);
      for (const { path, content } of effectsOf(settings, "").files) {
        if (path.endsWith("/tallydeck.env")) assertServiceReads(content, `seed ${seed}`);
        assert.ok(!/[^\n\P{Cc}]/u.test(content), `seed ${seed}: ${path} holds a control character`);
        assert.ok(
          /^\/(?:etc|run\/tallydeck|var\/lib\/iwd)\/[^/]/.test(path),
          `seed ${seed}: ${path}`,
        );
        assert.ok(
          !path.slice(13).includes("/") || !path.startsWith("/var/lib/iwd/"),
          `seed ${seed}: ${path}`,
        );
      }
      for (const [name, value] of Object.entries(values))
        assert.ok(KNOWN.test(name) && value.length > 0, `seed ${seed}: ${name}=${value}`);
      assert.deepEqual(provisioned(left, kept).results, [], `seed ${seed}`);
    }
  });
});

describe("a file of another kind", () => {
  const full = (line: string) => line.repeat(Math.floor((64 * 1024) / line.length));
  const deep = "a.".repeat(30_000);
  for (const [name, file, text] of [
    ["lists left open", "rpi-preseed.toml", full("a = [\n")],
    ["long lists left open", "rpi-preseed.toml", full(`a = [${"1,".repeat(160)}\n`)],
    ["texts left open", "rpi-preseed.toml", full('a = """x"\n\n')],
    ["a deep table", "rpi-preseed.toml", `[${deep}a]\nb = 1\n`],
    ["a deep key", "rpi-preseed.toml", `${deep}a = 1\n`],
    ["tabs", "user-data", full("\t: x\n")],
    ["brackets", "network-config", full("[")],
    ["words", "tallydeck.env", full("x\n")],
    ["words without a tunnel", "wireguard.conf", full("x\n")],
  ] as const)
    it(`is read to its end and costs a page of the report, whatever it is made of: ${name}`, () => {
      const { results } = provisioned({ [file]: text });
      const page = report(results, { hostname: "box", stored: true }).split("\r\n");
      assert.ok(page.length < 70, `${page.length} lines`);
    });
});

function assertServiceReads(config: string, when: string): void {
  const file = join(mkdtempSync(join(tmpdir(), "tallydeck-mangled-")), "tallydeck.env");
  writeFileSync(file, config);
  assert.doesNotThrow(() => readConfig({ flags: {}, env: {}, file }), when);
  rmSync(dirname(file), { recursive: true });
}

const KNOWN =
  /^(?:tunnel(?:\.(?:private|preshared)-key)?|hostname|timezone|wifi\.(?:country|ssid|password|hidden)|ssh\.keys|time\.(?:host|servers)|service\.(?:SITES|BADGE_SITES|MQTT_\w+|STATS_TOKEN\w*))$/;

/** Bytes flipped, cut, doubled, swapped and thrown in, as a worn card or a hasty editor would. */
function mangled(text: string, random: () => number): Uint8Array {
  let bytes = Buffer.from(text);
  const at = () => Math.floor(random() * (bytes.length + 1));
  const NOISE = [
    "\0",
    "\n",
    "\r",
    '"',
    "'",
    "#",
    "=",
    ":",
    "[",
    "]",
    "{",
    "&a",
    "*a",
    "\\",
    "../",
    "\uFEFF",
    "🦊",
    "\u2028",
    "- ",
    "\t",
    "$(reboot)",
  ];
  for (let count = 1 + Math.floor(random() * 8); count > 0; count--) {
    const [from, to] = [at(), at()].sort((a, b) => a - b) as [number, number];
    const kind = Math.floor(random() * 5);
    const noise = Buffer.from(NOISE[Math.floor(random() * NOISE.length)] ?? "");
    if (kind === 0) bytes = Buffer.concat([bytes.subarray(0, from), noise, bytes.subarray(from)]);
    else if (kind === 1)
      bytes = Buffer.concat([bytes.subarray(0, from), bytes.subarray(Math.min(to, from + 40))]);
    else if (kind === 2 && bytes.length < 10_000)
      bytes = Buffer.concat([bytes.subarray(0, to), bytes.subarray(from)]);
    else if (kind === 3 && from < bytes.length) bytes[from] = Math.floor(random() * 256);
    else bytes = Buffer.concat([bytes.subarray(0, from), noise, noise, bytes.subarray(from)]);
  }
  return bytes;
}
