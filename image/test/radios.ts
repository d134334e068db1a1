import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { IMAGE_CACHE } from "./releases.ts";
import type { Shell } from "./shell.ts";

/** Debian's packages of the last image/build, among them the modules of the image's own kernel. */
const DEBS = join(IMAGE_CACHE, "debs");
const MODULES = [
  "lib/crypto/libarc4",
  "net/mac80211/mac80211",
  "drivers/net/wireless/virtual/mac80211_hwsim",
];
const TOOLS = "hostapd,wpasupplicant,iw,busybox-static";
const JOINS_MS = 15 * 60_000;
const MIRROR = process.env.DEBIAN_MIRROR ?? "http://deb.debian.org/debian";

/** The home's router. */
export interface Router {
  readonly name: string;
  readonly password: string;
  /** False: it gives no addresses. */
  readonly hasDhcp?: boolean;
  readonly isHidden?: boolean;
  /** It takes nobody without WPA3. */
  readonly isWpa3?: boolean;
  /** Its channel at 2.4 GHz, as Switzerland has them; 1 unless given. */
  readonly channel?: number;
}

/**
 * A disk with radios made of software, and with programs that play a router and a phone: Debian's, for arm64. None of it
 * is in the image. It is a bare tar, for a disk on USB with a file system would be the box's stick for backups.
 * @throws {Error} where Debian does not answer, or image/build never ran here
 */
export function makeRadios(folder: string): string {
  const [tree, disk] = [join(folder, "radios"), join(folder, "radios.img")];
  if (existsSync(disk)) return disk;
  rmSync(tree, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const run = (program: string, ...args: string[]) =>
    execFileSync(program, args, { stdio: ["ignore", "ignore", "inherit"] });
  run(
    "mmdebstrap",
    ...["--quiet", "--variant=extract", "--architectures=arm64", "--skip=check/qemu"],
    ...[`--include=${TOOLS}`, "trixie", tree, `deb ${MIRROR} trixie main`],
  );
  const deb = readdirSync(DEBS).find((name) => /^linux-modules-\d.*_arm64\.deb$/.test(name));
  if (deb === undefined) throw new Error(`${DEBS} has no modules: run image/build first`);
  run("dpkg", "-x", join(DEBS, deb), join(tree, "kernel"));
  const [version = ""] = readdirSync(join(tree, "kernel/usr/lib/modules"));
  const modules = join(tree, "kernel/usr/lib/modules", version, "kernel");
  for (const [at, name] of MODULES.entries()) {
    const text = execFileSync("xz", ["-dc", join(modules, `${name}.ko.xz`)], {
      maxBuffer: 2 ** 26,
    });
    writeFileSync(join(tree, `module-${at}.ko`), text);
  }
  rmSync(join(tree, "kernel"), { recursive: true });
  // The packages are unpacked only: the one that makes these links is not among them.
  for (const name of ["bin", "sbin", "lib"]) symlinkSync(`usr/${name}`, join(tree, name));
  for (const name of ["run", "dev", "proc", "sys"])
    mkdirSync(join(tree, name), { recursive: true });
  run("tar", "--create", `--file=${disk}`, `--directory=${tree}`, "--exclude=./dev/*", ".");
  return disk;
}

/** Gives the machine three radios: its own, a router's and a phone's, which are in namespaces of theirs. */
export async function layRadios(shell: Shell): Promise<void> {
  const { text, status } = await shell.run(`set -e
    systemctl stop tallydeck-wifi.service iwd.service
    mkdir -p /run/radios
    mount -t tmpfs tmpfs /run/radios
    until [ -b /dev/sda ]; do sleep 0.5; done
    tar -x -f /dev/sda -C /run/radios
    mount --bind /dev /run/radios/dev
    mount -t proc proc /run/radios/proc
    mount --bind /sys /run/radios/sys
    modprobe -a cfg80211 rfkill
    insmod /run/radios/module-0.ko
    insmod /run/radios/module-1.ko
    insmod /run/radios/module-2.ko radios=3
    for number in 1 2; do
      name=$([ $number = 1 ] && echo home || echo phone)
      ip netns add $name
      ip netns exec $name sleep infinity </dev/null >/dev/null 2>&1 & echo $! >/run/$name.pid
      until [ "$(readlink /proc/$(cat /run/$name.pid)/ns/net)" != "$(readlink /proc/self/ns/net)" ]; do sleep 0.2; done
      chroot /run/radios iw phy phy$number set netns $(cat /run/$name.pid)
      ip -n $name link set lo up
    done
    ls /sys/class/net`);
  if (status !== 0 || !text.includes("wlan0")) throw new Error(`no radios: ${text}`);
}

/** Starts the home's router, in place of one before. Its line is dead: nobody answers at the address for names. */
export async function startRouter(shell: Shell, router: Router): Promise<void> {
  const { name, password, hasDhcp = true, isHidden, isWpa3, channel = 1 } = router;
  await stopRouter(shell);
  const { text, status } = await shell.run(`set -e
    cat >/run/radios/run/hostapd.conf <<'END'
interface=wlan1
ssid2=${Buffer.from(name).toString("hex")}
utf8_ssid=1
ignore_broadcast_ssid=${isHidden ? 1 : 0}
${channel > 11 ? "country_code=CH" : ""}
hw_mode=g
channel=${channel}
wpa=2
wpa_key_mgmt=${isWpa3 ? "SAE" : "WPA-PSK"}
ieee80211w=${isWpa3 ? 2 : 0}
rsn_pairwise=CCMP
wpa_passphrase=${password}
END
    cat >/run/radios/run/udhcpd.conf <<'END'
interface wlan1
start 192.168.50.10
end 192.168.50.50
pidfile /run/udhcpd.pid
lease_file /run/leases
option router 192.168.50.1
option dns 192.168.50.9
option subnet 255.255.255.0
END
    touch /run/radios/run/leases
    ip netns exec home chroot /run/radios hostapd -B -P /run/hostapd.pid /run/hostapd.conf
    ip -n home address replace 192.168.50.1/24 dev wlan1
    ${hasDhcp ? "ip netns exec home chroot /run/radios busybox udhcpd /run/udhcpd.conf" : ""}`);
  if (status !== 0) throw new Error(`no router: ${text}`);
}

/** Takes the power from the home's router, if there is one. */
export async function stopRouter(shell: Shell): Promise<void> {
  await shell.run(`for program in hostapd udhcpd; do
      file=/run/radios/run/$program.pid
      [ -e $file ] || continue
      pid=$(cat $file); kill $pid
      while [ -e /proc/$pid ]; do sleep 0.2; done
      rm -f $file
    done`);
}

/** The phone joins a network, and asks it for an address. @returns what it was given, a line each */
export async function phoneJoins(shell: Shell, name: string, key: string): Promise<string> {
  const { text, status } = await shell.run(
    `set -e
    cat >/run/radios/run/phone.conf <<'END'
ctrl_interface=/run/wpas
network={
 ssid="${name}"
 psk="${key}"
}
END
    cat >/run/radios/run/lease <<'END'
#!/bin/busybox sh
[ "$1" = bound ] || exit 0
busybox ip address flush dev $interface
busybox ip address add $ip/24 dev $interface
env | grep -E '^(ip|router|dns|opt114|lease)='
END
    chmod 755 /run/radios/run/lease
    on_phone() { ip netns exec phone chroot /run/radios "$@"; }
    joins() {
      on_phone wpa_cli -p /run/wpas terminate >/dev/null 2>&1 || true
      while on_phone wpa_cli -p /run/wpas ping >/dev/null 2>&1; do sleep 0.2; done
      on_phone wpa_supplicant -B -i wlan2 -c /run/phone.conf >/dev/null
      tries=0
      until on_phone wpa_cli -p /run/wpas status 2>/dev/null | grep -q wpa_state=COMPLETED; do
        tries=$((tries + 1)); [ $tries -lt 60 ] || return 1; sleep 1
      done
      on_phone wpa_cli -p /run/wpas status | grep -E '^(key_mgmt|pairwise_cipher|freq)='
      on_phone busybox udhcpc -i wlan2 -n -q -t 5 -T 3 -O 114 -s /run/lease
    }
    # The handshake has a second, which an emulator on a busy computer may not keep.
    joins || joins || joins || joins || joins`,
    JOINS_MS,
  );
  if (status !== 0) throw new Error(`the phone did not join ${name}: ${text}`);
  return text;
}

/** A request of the phone. Its host is looked up. */
interface PhoneRequest {
  readonly method?: string;
  readonly host?: string;
  readonly path?: string;
  readonly body?: string;
  readonly agent?: string;
}

/** The answer to the phone: its status, where it leads to, and its page. */
export async function phoneAsks(shell: Shell, request: PhoneRequest = {}): Promise<string> {
  const [answer = ""] = await phoneAsksEach(shell, [request]);
  return answer;
}

/** The same for several requests, of one program: an emulator takes long to start one. */
export async function phoneAsksEach(
  shell: Shell,
  requests: readonly PhoneRequest[],
): Promise<readonly string[]> {
  const program = `
    import { request } from "node:http";
    import { Resolver } from "node:dns/promises";
    const resolver = new Resolver();
    resolver.setServers(["192.0.2.1"]);
    for (const { method = "GET", host = "192.0.2.1", path = "/", body = "", agent = "phone" } of given) {
      const address = /^[0-9.]+$/.test(host) ? host : (await resolver.resolve4(host))[0];
      const headers = { host, "user-agent": agent, "accept-language": "de-CH", "content-type": "application/x-www-form-urlencoded", "content-length": Buffer.byteLength(body) };
      const said = await new Promise((done) => {
        const sent = request({ host: address, port: 80, method, path, headers, timeout: 20000 }, async (answer) => {
          const text = (await answer.toArray()).join("");
          done([answer.statusCode, answer.headers.location ?? "", text].join(" "));
        });
        sent.on("error", (error) => done(error.code));
        sent.end(body);
      });
      console.log(JSON.stringify(said));
    }
    process.exit();`;
  return (await runIn(shell, "phone", program, requests))
    .split("\n")
    .filter((said) => said.startsWith('"'))
    .map((said) => JSON.parse(said) as string);
}

/** The ends of connections by the phone to ports of the box, as words. */
export async function phoneKnocks(shell: Shell, ports: readonly number[]): Promise<string> {
  const program = `
    import { connect } from "node:net";
    const open = (port) => new Promise((done) => {
      const socket = connect(port, "192.0.2.1", () => done("open")).on("error", (error) => done(error.code));
      setTimeout(() => { socket.destroy(); done("silent"); }, 15000);
    });
    Promise.all(given.map(open)).then((all) => console.log(all.join(" ")) ?? process.exit());`;
  return runIn(shell, "phone", program, ports);
}

/** A request for another network in the Web UI, with a sign-in before the first one. */
interface WifiRequest {
  readonly code: string;
  readonly cookie: string | undefined;
  readonly wish: object;
}

/** The answer to a computer in the home's network. @param origin of the Web UI */
export async function asksAtHome(
  shell: Shell,
  origin: string,
  request: WifiRequest,
): Promise<{ readonly status: number; readonly cookie: string }> {
  const program = `
    const [origin, { code, cookie, wish }] = given;
    const post = (path, body, headers) => fetch(origin + path, { method: "POST", body: JSON.stringify(body), headers: { "content-type": "application/json", ...headers } });
    const signedIn = async () => (await post("/api/session", { code })).headers.getSetCookie()[0].split(";")[0];
    const own = cookie ?? (await signedIn());
    const { status } = await post("/api/wifi", wish, { cookie: own });
    console.log(JSON.stringify({ status, cookie: own }));
    process.exit();`;
  const text = await runIn(shell, "home", program, [origin, request]);
  const said = text.split("\n").find((each) => each.startsWith("{"));
  if (said === undefined) throw new Error(`The Web UI does not answer at ${origin}: ${text}`);
  return JSON.parse(said) as { status: number; cookie: string };
}

/** Runs a program of Node in a network namespace of the machine, with a value that it calls `given`. @returns its output */
async function runIn(
  shell: Shell,
  namespace: "home" | "phone",
  program: string,
  given: unknown,
): Promise<string> {
  const words = Buffer.from(JSON.stringify(given)).toString("base64");
  const take = `const given = JSON.parse(Buffer.from(process.argv[1], "base64"));`;
  const line = `${take} ${program}`.replaceAll(/\s*\n\s*/g, " ").trim();
  const { text } = await shell.run(
    `ip netns exec ${namespace} /usr/bin/tallydeck-node --input-type=module -e '${line}' ${words}`,
  );
  return text;
}
