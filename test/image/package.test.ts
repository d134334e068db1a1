import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { eachFolder } from "../helpers/folder.ts";

const ROOT = join(import.meta.dirname, "../..");
const MACHINE = join(ROOT, "firmware-config/machine");
const UNITS = "usr/lib/systemd/system";
const SANDBOX = "tallydeck.service.d/sandbox.conf";
const SERVICES = ["tallydeck.service", "tallydeck-place.service"];
/** The most exposure that `systemd-analyze security` may find, from 0 to 10: that of the box. */
const MOST_EXPOSED = 1.6;

describe("the package's units", () => {
  const folder = eachFolder();

  /** A root with them, and stand-ins for what they name. */
  function root(): string {
    execFileSync("cp", ["-R", `${MACHINE}/.`, folder()]);
    execFileSync("sh", [
      "-euc",
      `cd "$1"; mkdir -p usr/lib/tallydeck/node_modules/.bin; ln -s usr/lib lib
      for unit in ${SERVICES.join(" ")}; do install -D -m 0644 "$2" ${UNITS}/$unit.d/sandbox.conf; done
      cp /bin/true usr/lib/tallydeck/node_modules/.bin/node
      for target in sysinit shutdown sockets multi-user basic network network-online; do
        printf '[Unit]\\nDescription=%s\\nDefaultDependencies=no\\n' $target >${UNITS}/$target.target
      done
      printf '[Unit]\\nDescription=root\\n' >${UNITS}/-.slice
      printf '[Unit]\\nDescription=system\\n' >${UNITS}/system.slice`,
      "sh",
      folder(),
      join(ROOT, "firmware-config/system/etc/systemd/system", SANDBOX),
    ]);
    return folder();
  }

  it("pass systemd-analyze verify, also by what Debian 12 knows", () => {
    const at = root();
    const units = readdirSync(join(at, UNITS)).filter((name) => name.startsWith("tallydeck"));
    const { stdout, stderr } = spawnSync(
      "systemd-analyze",
      [
        "verify",
        "--man=no",
        "--recursive-errors=no",
        "--root",
        at,
        ...units.filter((name) => !name.endsWith(".d")),
      ],
      { encoding: "utf8" },
    );
    assert.equal(`${stdout}${stderr}`, "");
  });

  for (const service of SERVICES)
    it(`expose a machine no more than the box: ${service}`, () => {
      const { stdout } = spawnSync(
        "systemd-analyze",
        ["security", "--offline=true", "--no-pager", "--root", root(), service],
        { encoding: "utf8" },
      );
      const exposure = Number(/Overall exposure level.*?: ([\d.]+)/.exec(stdout)?.[1]);
      assert.ok(exposure <= MOST_EXPOSED, stdout);
    });

  it("start a service by the words of its command", () => {
    for (const service of SERVICES) {
      const unit = readFileSync(join(MACHINE, UNITS, service), "utf8");
      const word = service === "tallydeck.service" ? "run" : "place";
      assert.match(unit, new RegExp(`^ExecStart=.*/main\\.js ${word} --config /etc/`, "m"));
    }
  });
});

describe("the ports of the package's sockets", () => {
  const folder = eachFolder();

  /** Runs the generator with these settings. @returns the addresses by socket */
  function opened(settings: string): Record<string, string> {
    const file = join(folder(), "tallydeck.env");
    const units = join(folder(), "units");
    mkdirSync(units);
    writeFileSync(file, settings);
    execFileSync(join(MACHINE, "usr/lib/systemd/system-generators/tallydeck-ports"), [units], {
      env: { PATH: process.env.PATH, SETTINGS: file },
    });
    const entries = readdirSync(units, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith("settings.conf"))
      .map((name) => {
        const text = readFileSync(join(units, name), "utf8");
        assert.match(text, /^\[Socket\]\nListenStream=\nListenStream=.*\n$/);
        const [, socket = ""] = /tallydeck-(.*)\.socket\.d/.exec(name) ?? [];
        return [socket, text.trim().split("=").at(-1) ?? ""] as const;
      });
    const tls = existsSync(join(units, "tallydeck.service.d/tls.conf"));
    assert.equal(
      tls,
      entries.some(([socket]) => socket === "collector-tls"),
    );
    return Object.fromEntries(entries);
  }

  it("are the usual ones without settings", () => {
    assert.deepEqual(opened("#PORT=80\n"), { collector: "8480", control: "127.0.0.1:3000" });
  });

  it("are those of the settings, as people write them", () => {
    assert.deepEqual(
      opened('export PORT = "80"\nBIND=::1\nWEBUI_PORT=3001\nTLS_PORT=443\nHOST=192.0.2.7\n'),
      {
        collector: "192.0.2.7:80",
        control: "[::1]:3001",
        "collector-tls": "192.0.2.7:443",
        place: "192.0.2.7:443",
      },
    );
  });

  it("leave 443 to the proxy before a place", () => {
    const isLeft = () => existsSync(join(folder(), "units/tallydeck-place.socket"));
    assert.equal("place" in opened("TRUSTED_PROXIES=127.0.0.1\n"), false);
    assert.ok(isLeft());
  });

  it("are at the address of HOST, also that of a place", () => {
    assert.equal(opened("#TRUSTED_PROXIES=127.0.0.1\nHOST=::1\n").place, "[::1]:443");
  });

  it("are the last ones where a line stands twice", () => {
    assert.equal(opened("PORT=1\nPORT=8482\n").collector, "8482");
  });

  const HOSTILE = [
    ...["PORT=80\\nExecStart=x", "PORT=$(reboot)", "PORT=", "BIND=a b", "PORT=-1"],
    // systemd would not load a socket of such a port.
    ...["PORT=0", "PORT=65536", "PORT=99999999999999999999"],
  ];
  for (const hostile of HOSTILE)
    it(`are the usual ones, for the service to refuse the rest: ${hostile}`, () => {
      const { collector, control } = opened(`${hostile}\n`);
      assert.match(`${collector ?? "8480"} ${control}`, /^8480 (?:127\.0\.0\.1:)?3000$/);
    });
});

describe("sudo tallydeck place", () => {
  const folder = eachFolder();

  /** Runs the package's command with stand-ins for what it calls, each of which says so. */
  function ran(
    words: readonly string[],
    systemctl = "",
    homes = "[]",
  ): { status: number | null; said: string } {
    const bin = join(folder(), "bin");
    mkdirSync(bin, { recursive: true });
    for (const [name, lines] of [
      ["id", "echo 0"],
      [
        "setpriv",
        `case "$*" in *"place list --json") echo '${homes}' ;; *) echo "$*" | sed "s/.*main.js //" ;; esac`,
      ],
      ["journalctl", "echo the reason"],
      [
        "systemctl",
        `case "$1" in is-enabled) echo enabled; exit ;; show) exit ;; esac\necho "$*"\n${systemctl}`,
      ],
    ] as const)
      writeFileSync(join(bin, name), `#!/bin/sh\n${lines}\n`, { mode: 0o755 });
    const program = join(folder(), "tallydeck");
    const text = readFileSync(join(MACHINE, "usr/bin/tallydeck"), "utf8")
      .replace("/run/systemd/system", folder())
      .replace("/etc/tallydeck/tallydeck.env", settings());
    writeFileSync(program, text);
    const env = { PATH: `${bin}:${process.env.PATH}` };
    const command = `exec sh "$0" "$@" 2>&1`;
    const { status, stdout } = spawnSync("sh", ["-c", command, program, ...words], { env });
    return { status, said: stdout.toString() };
  }

  const settings = () => join(folder(), "tallydeck.env");
  const set = () => readFileSync(settings(), "utf8");
  const WRITTEN = "# PORT=1\nexport PUBLIC_NAME = old.example.com\nDETAIL_DAYS=9\n";
  beforeEach(() => writeFileSync(settings(), WRITTEN));

  const SERVICE = "tallydeck.service tallydeck-collector.socket tallydeck-control.socket";
  const TRIED = `daemon-reload
stop tallydeck-place.service tallydeck-place.socket
disable --quiet --now ${SERVICE}
enable --quiet --now tallydeck-place.service
`;
  const FAILS = 'case "$*" in "enable --quiet --now tallydeck-place"*) exit 1 ;; esac';

  it("makes the machine a place for good, and prints an invitation", () => {
    assert.deepEqual(ran(["place"]), { status: 0, said: `${TRIED}place invite\n` });
    assert.equal(set(), WRITTEN);
  });

  it("invites nobody a second time, and lists who is", () => {
    const homes = JSON.stringify([{ name: "home" }], null, 2);
    assert.deepEqual(ran(["place"], "", homes), { status: 0, said: `${TRIED}place list\n` });
  });

  it("keeps a name and an agreement for all starts", () => {
    const { said } = ran(["place", "--public-name=stats.example.com", "--acme-agree"]);
    assert.equal(said, `${TRIED}place invite\n`);
    const kept = "# PORT=1\nDETAIL_DAYS=9\nPUBLIC_NAME=stats.example.com\nACME_AGREE=1\n";
    assert.equal(set(), kept);
  });

  it("keeps the port for a proxy of the machine, and leaves a trust that is set", () => {
    const words = ["place", "--http", "8481", "--address", "https://a.example.com"];
    assert.equal(ran(words).said, `${TRIED}place invite --address https://a.example.com\n`);
    assert.match(set(), /\nPORT=8481\nTRUSTED_PROXIES=127\.0\.0\.1,::1\nHOST=127\.0\.0\.1\n$/);
    writeFileSync(settings(), "TRUSTED_PROXIES=10.0.0.0/8\n");
    ran(words);
    assert.equal(set(), "TRUSTED_PROXIES=10.0.0.0/8\nPORT=8481\n");
  });

  it("leaves the machine what it was where that cannot start, and says why", () => {
    assert.deepEqual(ran(["place", "--public-name", "b.example.com"], FAILS), {
      status: 1,
      said: `${TRIED}the reason
daemon-reload
disable --quiet --now tallydeck-place.service
reset-failed tallydeck-place.service
enable --quiet --now ${SERVICE}
The machine is what it was.
`,
    });
    assert.equal(set(), WRITTEN);
  });

  for (const words of [
    ["--public-name"],
    ["--public-name", "a\nSTATS_TOKEN=x"],
    ["--public-name", "$(reboot)"],
    ["--acme-agree", "--day-zone", "UTC"],
    ["--http", "8480", "invite"],
  ])
    it(`touches nothing by words it cannot take: ${JSON.stringify(words)}`, () => {
      const { status, said } = ran(["place", ...words]);
      assert.equal(status, 2, said);
      assert.doesNotMatch(said, /^(?:stop|disable|place)/m);
      assert.equal(set(), WRITTEN);
    });

  it("shows its help without a change", () => {
    assert.equal(ran(["place", "--help"]).said, "place --help\n");
  });

  it("tells how one that is stopped is started", () => {
    const stopped = 'case "$1" in is-active) exit 3 ;; esac';
    const { said } = ran([], stopped);
    assert.match(said, /`sudo systemctl start tallydeck-place` starts it\.\n$/);
  });

  it("changes nothing of the machine with a further word", () => {
    assert.deepEqual(ran(["place", "list"]), { status: 0, said: "place list\n" });
  });
});
