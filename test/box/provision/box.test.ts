import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { commandLine } from "../../../appliance/base/system/program.ts";
import { type ProvisionParts, provisionBox } from "../../../appliance/box/provision/box.ts";

const BOX = join(import.meta.dirname, "../../../appliance/box/provision/box.ts");
/** The files of the image for the card. */
const BROUGHT = join(import.meta.dirname, "../../../firmware-config/boot");
/** As somebody may put on the card by mistake. */
const HUGE_BYTES = 300_000_000;
const MOST_GROWN_BYTES = 30_000_000;
/** Tells how much memory a start takes at its highest. */
const START = `
  const [, box, root] = process.argv;
  const { provisionBox } = await import(box);
  const most = () => process.resourceUsage().maxRSS * 1024;
  const before = most();
  provisionBox({ root, run: () => {}, isMounted: () => true, warn: () => {} });
  console.log(most() - before);
`;

describe("a start of the box", () => {
  let root = "";
  let ran: string[] = [];

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "tallydeck-box-"));
    ran = [];
    for (const folder of ["boot/firmware", "data/system", "etc/iwd", "run/tallydeck"])
      mkdirSync(join(root, folder), { recursive: true });
    writeFileSync(join(root, "etc/iwd/main.conf"), "[General]\n");
  });
  afterEach(() => rmSync(root, { recursive: true }));

  function start(parts: Partial<ProvisionParts> = {}): void {
    provisionBox({
      root,
      run: (program, own, values) =>
        void ran.push([program, ...commandLine(own, values)].join(" ").replaceAll(root, "")),
      isMounted: () => true,
      ...parts,
    });
  }
  const write = (path: string, text: string) => writeFileSync(join(root, path), text);
  const read = (path: string) => readFileSync(join(root, path), "utf8");
  const boot = (...lines: string[]) => write("boot/firmware/tallydeck.env", lines.join("\n"));

  it("without any file has the name tallydeck, UTC, no ssh key, and touches no partition", () => {
    start();
    assert.equal(read("etc/hostname"), "tallydeck\n");
    assert.equal(readlinkSync(join(root, "etc/localtime")), "/usr/share/zoneinfo/UTC");
    assert.equal(read("run/tallydeck/authorized_keys"), "");
    assert.deepEqual(ran, ["hostname -- tallydeck"]);
  });

  it("writes what the settings mean to the system", () => {
    boot("HOSTNAME=box", "WIFI_SSID=home sweet", "WIFI_PASSWORD= p\\ss word", "WIFI_COUNTRY=ch");
    start();
    assert.equal(read("etc/hostname"), "box\n");
    assert.equal(read("etc/iwd/main.conf"), "[General]\nCountry=CH\n");
    assert.equal(
      read("var/lib/iwd/home sweet.psk"),
      "[Security]\nPassphrase=p\\\\ss word\n\n[Settings]\nAutoConnect=true\n",
    );
    assert.equal(statSync(join(root, "var/lib/iwd/home sweet.psk")).mode & 0o777, 0o600);
  });

  it("names the country once, however often it is tried in one boot", () => {
    boot("WIFI_COUNTRY=ch");
    start();
    start();
    assert.equal(read("etc/iwd/main.conf"), "[General]\nCountry=CH\n");
  });

  it("names the country in the general part of the image's iwd settings", () => {
    const image = join(import.meta.dirname, "../../../firmware-config/system/etc/iwd/main.conf");
    write("etc/iwd/main.conf", readFileSync(image, "utf8"));
    boot("WIFI_COUNTRY=ch");
    start();
    const [, general = ""] = read("etc/iwd/main.conf").split("[General]\n");
    assert.match(general, /^EnableNetworkConfiguration=false\n[^[]*Country=CH\n$/);
  });

  it("reports every file again when one has changed", () => {
    write("boot/firmware/rpi-preseed.toml", "colour = 1\n");
    boot("HOSTNAME=box");
    start();
    boot("HOSTNAME=other");
    start();
    const result = read("boot/firmware/SETUP-RESULT.txt");
    assert.match(result, /rpi-preseed\.toml:\r\n {2}IGNORED {2}colour \(line 1\)/);
    assert.match(result, /tallydeck\.env:\r\n {2}applied {2}HOSTNAME/);
  });

  it("keeps what the report says of the system", () => {
    const system = "\r\nThe system on this card:\r\n  0.2.0 runs, from a/.\r\n";
    write("boot/firmware/SETUP-RESULT.txt", `of old\r\n${system}`);
    boot("HOSTNAME=box");
    start();
    const result = read("boot/firmware/SETUP-RESULT.txt");
    assert.match(result, /^What came of the settings on this card\r\n/);
    assert.ok(result.endsWith(system));
    assert.ok(!result.includes("of old"));
  });

  it("reports what still counts of a file that was deleted", () => {
    write("boot/firmware/rpi-preseed.toml", '[system]\nhostname = "box"\n');
    start();
    rmSync(join(root, "boot/firmware/rpi-preseed.toml"));
    start();
    assert.equal(read("etc/hostname"), "box\n");
    assert.match(
      read("boot/firmware/SETUP-RESULT.txt"),
      /rpi-preseed\.toml, which is no longer on the card.*\r\n {2}applied {2}HOSTNAME\r\n.*\(none\)/,
    );
    ran = [];
    start();
    assert.deepEqual(ran, ["hostname -- box"]);
  });

  it("writes a report for a file that it does not read", () => {
    write("boot/firmware/ssh", "");
    start();
    assert.match(read("boot/firmware/SETUP-RESULT.txt"), /ssh:\r\n {2}IGNORED {2}the file: is not/);
  });

  it("links the clock to a zone that its folder holds", () => {
    mkdirSync(join(root, "usr/share/zoneinfo/Europe"), { recursive: true });
    write("usr/share/zoneinfo/Europe/Zurich", "");
    boot("TIMEZONE=europe/zurich");
    start();
    assert.equal(readlinkSync(join(root, "etc/localtime")), "/usr/share/zoneinfo/Europe/Zurich");
  });

  it("names a network in hexadecimal that has other signs than letters and digits", () => {
    boot("WIFI_SSID=../Café");
    start();
    assert.ok(existsSync(join(root, "var/lib/iwd/=2e2e2f436166c3a9.open")));
    assert.equal(read("run/tallydeck/wifi-name"), "../Café\n");
  });

  it("gives the service its part in the form of its configuration file", () => {
    boot("SITES=blog", 'STATS_TOKEN=""quoted""');
    start();
    assert.equal(read("run/tallydeck/tallydeck.env"), 'SITES=blog\nSTATS_TOKEN=""quoted""\n');
  });

  it("says by which public address the box is to be reached, and where it stands how far that is", () => {
    boot("PUBLIC_NAME=stats.example.org");
    start();
    assert.match(
      read("boot/firmware/SETUP-RESULT.txt"),
      /^Its public address is stats\.example\.org: .*the Web UI\.\r$/m,
    );
  });

  it("gives the service the decks that exist only in the Web UI", () => {
    boot("VIRTUAL_DECK=mk2,plus");
    start();
    assert.equal(read("run/tallydeck/tallydeck.env"), "VIRTUAL_DECK=mk2,plus\n");
  });

  it("says what a virtual deck must be that is none", () => {
    boot("VIRTUAL_DECK=mk3");
    start();
    assert.match(
      read("boot/firmware/SETUP-RESULT.txt"),
      /IGNORED {2}VIRTUAL_DECK \(line 1\): must be models, comma separated/,
    );
  });

  it("opens the boot partition once, takes the secrets away and says what it did", () => {
    boot("WIFI_SSID=home", "WIFI_PASSWORD=correct horse", "COLOUR=red");
    start();
    assert.equal(read("boot/firmware/tallydeck.env"), "WIFI_SSID=home\nWIFI_PASSWORD=\nCOLOUR=red");
    assert.deepEqual(ran, [
      "hostname -- tallydeck",
      "mount --options-source=mtab -o remount,rw -- /boot/firmware",
      "mount --options-source=mtab -o remount,ro -- /boot/firmware",
    ]);
    const result = read("boot/firmware/SETUP-RESULT.txt");
    assert.match(result, /applied {2}WIFI_SSID \(line 1\): without WIFI_COUNTRY.*\r\n/);
    assert.match(result, /IGNORED {2}COLOUR \(line 3\): this box does not know it\r\n/);
    assert.match(result, /Passwords and tokens were removed from this file; the box keeps those/);
    assert.ok(!result.includes("correct horse"));
  });

  it("writes its report over the one that the image brings, and makes no file", () => {
    const report = join(root, "boot/firmware/SETUP-RESULT.txt");
    copyFileSync(join(BROUGHT, "SETUP-RESULT.txt"), report);
    const { ino } = statSync(report);
    boot("COLOUR=red");
    start();
    assert.match(read("boot/firmware/SETUP-RESULT.txt"), /^What came of.*IGNORED {2}COLOUR/s);
    assert.equal(statSync(report).ino, ino);
  });

  it("remembers at the next start, and leaves the boot partition alone", () => {
    boot("WIFI_SSID=home", "WIFI_PASSWORD=correct horse");
    start();
    ran = [];
    rmSync(join(root, "var"), { recursive: true });
    start();
    assert.match(read("var/lib/iwd/home.psk"), /^Passphrase=correct horse$/m);
    assert.deepEqual(ran, ["hostname -- tallydeck"]);
  });

  it("wipes and removes what a power cut left behind, though nothing has changed", () => {
    boot("HOSTNAME=box");
    start();
    write("boot/firmware/tallydeck.env.old-with-secrets", "WIFI_PASSWORD=correct horse");
    write("boot/firmware/rpi-preseed.toml.new1", "[wl");
    start();
    assert.deepEqual(readdirSync(join(root, "boot/firmware")).sort(), [
      "SETUP-RESULT.txt",
      "tallydeck.env",
    ]);
  });

  it("goes on from a file that has only the name a power cut left it", () => {
    write("boot/firmware/tallydeck.env.old-with-secrets", "HOSTNAME=box\nSTATS_TOKEN=abc\n");
    start();
    assert.equal(read("etc/hostname"), "box\n");
    assert.equal(read("boot/firmware/tallydeck.env"), "HOSTNAME=box\nSTATS_TOKEN=\n");
    assert.ok(!existsSync(join(root, "boot/firmware/tallydeck.env.old-with-secrets")));
  });

  it("goes by the boot partition alone when there is no data partition, and leaves its secrets", () => {
    boot("WIFI_SSID=home", "WIFI_PASSWORD=correct horse");
    start({ isMounted: (path) => !path.endsWith("/data") });
    assert.match(read("var/lib/iwd/home.psk"), /^Passphrase=correct horse$/m);
    assert.match(read("boot/firmware/tallydeck.env"), /correct horse/);
    assert.match(read("boot/firmware/SETUP-RESULT.txt"), /data partition could not be used/);
  });

  it("goes by the boot partition alone when the data partition cannot be written", () => {
    boot("WIFI_SSID=home", "WIFI_PASSWORD=correct horse");
    write("boot/firmware/SHOW-CODE", "");
    rmSync(join(root, "data/system"), { recursive: true });
    write("data/system", "in the way of the folder");
    let warned = "";
    start({ warn: (line) => (warned = line) });
    assert.match(warned, /data partition cannot be written/);
    assert.match(read("var/lib/iwd/home.psk"), /^Passphrase=correct horse$/m);
    assert.match(read("boot/firmware/tallydeck.env"), /correct horse/);
    assert.match(read("boot/firmware/SETUP-RESULT.txt"), /data partition could not be used/);
    assert.ok(existsSync(join(root, "run/tallydeck/show-code")));
  });

  it("wipes what a power cut left behind before another secret takes its name", () => {
    boot("STATS_TOKEN=");
    write("boot/firmware/tallydeck.env.old-with-secrets", "STATS_TOKEN=older");
    const old = join(root, "elsewhere");
    linkSync(join(root, "boot/firmware/tallydeck.env.old-with-secrets"), old);
    boot("STATS_TOKEN=newer");
    start();
    assert.match(readFileSync(old, "utf8"), /^#+$/);
    assert.equal(read("boot/firmware/tallydeck.env"), "STATS_TOKEN=");
  });

  it("looks at a file before it reads it: one of any size costs no memory", () => {
    for (const file of ["user-data", "firstrun.sh", "tallydeck.env.old-with-secrets"]) {
      write(`boot/firmware/${file}`, "");
      truncateSync(join(root, "boot/firmware", file), HUGE_BYTES);
    }
    write("data/system/settings.json", "");
    truncateSync(join(root, "data/system/settings.json"), HUGE_BYTES);
    boot("HOSTNAME=box");
    const grown = Number(
      execFileSync(process.execPath, ["--input-type=module", "-e", START, BOX, root], {
        encoding: "utf8",
      }),
    );
    assert.ok(grown < MOST_GROWN_BYTES, `${Math.round(grown / 1_000_000)} MB`);
    assert.match(
      read("boot/firmware/SETUP-RESULT.txt"),
      /user-data:\r\n {2}IGNORED {2}the file: is larger than 64 kB/,
    );
    assert.equal(read("etc/hostname"), "box\n");
    assert.ok(!existsSync(join(root, "boot/firmware/tallydeck.env.old-with-secrets")));
  });

  it("passes over folders that have a file's name", () => {
    mkdirSync(join(root, "boot/firmware/user-data/New folder"), { recursive: true });
    mkdirSync(join(root, "boot/firmware/rpi-preseed.toml.old-with-secrets"));
    boot("HOSTNAME=box");
    start();
    assert.equal(read("etc/hostname"), "box\n");
    assert.match(read("boot/firmware/SETUP-RESULT.txt"), /applied {2}HOSTNAME/);
  });

  it("takes a folder named SHOW-CODE for the wish it is, and still writes its report", () => {
    mkdirSync(join(root, "boot/firmware/SHOW-CODE/New folder"), { recursive: true });
    boot("STATS_TOKEN=let-me-in");
    start();
    assert.ok(existsSync(join(root, "run/tallydeck/show-code")));
    assert.deepEqual(readdirSync(join(root, "boot/firmware")).sort(), [
      "SETUP-RESULT.txt",
      "tallydeck.env",
    ]);
  });

  for (const file of ["WIFI-SETUP", "WIFI-SETUP.txt"])
    it(`asks for a Wi-Fi set-up with a phone once, where ${file} is on the card`, () => {
      write(`boot/firmware/${file}`, "");
      start();
      const wish = join(root, "run/tallydeck-wifi/insisted");
      assert.equal(existsSync(wish), true);
      assert.equal(existsSync(join(root, "boot/firmware", file)), false);
      rmSync(wish);
      start();
      assert.equal(existsSync(wish), false);
    });

  it("asks for a Wi-Fi set-up once, where a jumper was put on since the last start", () => {
    const wish = join(root, "run/tallydeck-wifi/insisted");
    const asks = (jumper?: "wifi" | "reset", isWhole = true) => {
      rmSync(wish, { force: true });
      start({
        jumpersOn: () => new Set(jumper === undefined ? [] : [jumper]),
        isMounted: (path) => isWhole || !path.endsWith("data"),
      });
      return existsSync(wish);
    };
    assert.equal(asks("wifi"), false, "at the first start of a card");
    assert.deepEqual([asks(), asks("reset")], [false, false]);
    assert.deepEqual([asks("wifi"), asks("wifi"), asks("wifi")], [true, false, false]);
    assert.deepEqual([asks(), asks("wifi", false), asks("wifi")], [false, false, true]);
    assert.deepEqual(readdirSync(join(root, "boot/firmware")), []);
  });

  it("takes no jumper for put on where that cannot be noted", () => {
    const warned: string[] = [];
    const startWith = (...on: "reset"[]) =>
      start({ jumpersOn: () => new Set(on), warn: (line) => void warned.push(line) });
    startWith();
    rmSync(join(root, "data/system"), { recursive: true });
    write("data/system", "no folder");
    startWith("reset");
    assert.match(warned.join(), /^The jumpers ask for nothing/);
    assert.equal(existsSync(join(root, "run/tallydeck-reset/wanted")), false);
  });

  for (const file of ["SHOW-CODE", "SHOW-CODE.txt"])
    it(`passes the wish for a setup code on, once: ${file}`, () => {
      write(`boot/firmware/${file}`, "");
      start();
      assert.ok(existsSync(join(root, "run/tallydeck/show-code")));
      assert.ok(!existsSync(join(root, "boot/firmware", file)));
    });
});
