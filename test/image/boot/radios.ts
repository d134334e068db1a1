import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Shell } from "./shell.ts";

/** Debian's packages of the last image/build, among them the modules of the image's own kernel. */
const DEBS = "/var/cache/tallydeck-image/debs";
const MODULES = [
  "lib/crypto/libarc4",
  "net/mac80211/mac80211",
  "drivers/net/wireless/virtual/mac80211_hwsim",
];
const TOOLS = "hostapd,wpasupplicant,iw,busybox-static";
const BYTES = "256M";

/** The home's router: its password, and what is wrong with it. */
export interface Router {
  readonly ssid: string;
  readonly password: string;
  /** Whether it gives addresses. */
  readonly hasDhcp: boolean;
}

/**
 * A disk with radios made of software, and with programs that play a router and a phone: Debian's, for arm64. None of it
 * is in the image.
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
    ...[`--include=${TOOLS}`, "trixie", tree, "deb http://deb.debian.org/debian trixie main"],
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
  rmSync(disk, { force: true });
  run("mke2fs", "-q", "-t", "ext4", "-d", tree, disk, BYTES);
  return disk;
}

/** Gives the machine three radios: its own, a router's and a phone's, which are in namespaces of theirs. */
export async function layRadios(shell: Shell): Promise<void> {
  const { text, status } = await shell.run(`set -e
    systemctl stop tallydeck-wifi.service iwd.service || true
    mkdir -p /run/radios
    for disk in /dev/sd?; do mount -t ext4 -o ro $disk /run/radios && break; done
    mount -t tmpfs tmpfs /run/radios/run; mount --bind /dev /run/radios/dev
    mount -t proc proc /run/radios/proc; mount --bind /sys /run/radios/sys
    modprobe cfg80211; modprobe rfkill || true
    insmod /run/radios/module-0.ko || true
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

/** Starts the home's router, in place of one before. */
export async function startRouter(
  shell: Shell,
  { ssid, password, hasDhcp }: Router,
): Promise<void> {
  const { text, status } = await shell.run(`set -e
    cat >/run/radios/run/hostapd.conf <<'END'
interface=wlan1
ssid2="${ssid}"
utf8_ssid=1
hw_mode=g
channel=1
wpa=2
wpa_key_mgmt=WPA-PSK
rsn_pairwise=CCMP
wpa_passphrase=${password}
END
    [ ! -e /run/radios/run/hostapd.pid ] || kill $(cat /run/radios/run/hostapd.pid) || true
    [ ! -e /run/radios/run/udhcpd.pid ] || kill $(cat /run/radios/run/udhcpd.pid) || true
    sleep 1
    ip netns exec home chroot /run/radios hostapd -B -P /run/hostapd.pid /run/hostapd.conf | tail -1
    ip -n home address replace 192.168.50.1/24 dev wlan1
    printf 'interface wlan1\\nstart 192.168.50.10\\nend 192.168.50.50\\npidfile /run/udhcpd.pid\\nlease_file /run/leases\\noption router 192.168.50.1\\noption subnet 255.255.255.0\\n' >/run/radios/run/udhcpd.conf
    touch /run/radios/run/leases
    ${hasDhcp ? "ip netns exec home chroot /run/radios busybox udhcpd /run/udhcpd.conf" : "true"}`);
  if (status !== 0) throw new Error(`no router: ${text}`);
}

/** The phone joins a network, and asks it for an address. @returns what it was given, a line each */
export async function phoneJoins(shell: Shell, name: string, key: string): Promise<string> {
  const { text, status } = await shell.run(`set -e
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
    wpa() { ip netns exec phone chroot /run/radios "$@"; }
    wpa wpa_cli -p /run/wpas terminate >/dev/null 2>&1 || true
    sleep 1
    wpa wpa_supplicant -B -i wlan2 -c /run/phone.conf | tail -1
    tries=0
    until wpa wpa_cli -p /run/wpas status 2>/dev/null | grep -q wpa_state=COMPLETED; do
      tries=$((tries + 1)); [ $tries -lt 90 ]; sleep 1
    done
    wpa wpa_cli -p /run/wpas status | grep -E '^(key_mgmt|pairwise_cipher|freq)='
    wpa busybox udhcpc -i wlan2 -n -q -t 10 -T 3 -O 114 -s /run/lease`);
  if (status !== 0) throw new Error(`the phone did not join ${name}: ${text}`);
  return text;
}

/** The answer to the phone: its status, where it leads to, and its page. */
export async function phoneAsks(
  shell: Shell,
  { method = "GET", host = "192.0.2.1", path = "/", body = "", agent = "phone" } = {},
): Promise<string> {
  const program = `
    import { request } from "node:http";
    import { Resolver } from "node:dns/promises";
    const [method, host, path, body, agent] = JSON.parse(Buffer.from(process.argv[1], "base64"));
    const resolver = new Resolver();
    resolver.setServers(["192.0.2.1"]);
    const address = /^[0-9.]+$/.test(host) ? host : (await resolver.resolve4(host))[0];
    const headers = { host, "user-agent": agent, "accept-language": "de-CH", "content-type": "application/x-www-form-urlencoded", "content-length": Buffer.byteLength(body) };
    const sent = request({ host: address, port: 80, method, path, headers, timeout: 20000 }, async (answer) => {
      const text = (await answer.toArray()).join("");
      console.log(answer.statusCode, answer.headers.location ?? "", text);
      process.exit();
    });
    sent.on("error", (error) => { console.log(error.code); process.exit(); });
    sent.end(body);`;
  const words = Buffer.from(JSON.stringify([method, host, path, body, agent])).toString("base64");
  const line = program.replaceAll(/\s*\n\s*/g, " ").trim();
  const { text } = await shell.run(
    `ip netns exec phone /usr/bin/tallydeck-node --input-type=module -e '${line}' ${words}`,
  );
  return text;
}

/** The ends of connections by the phone to ports of the box, as words. */
export async function phoneKnocks(shell: Shell, ports: readonly number[]): Promise<string> {
  const program = `
    import { connect } from "node:net";
    const open = (port) => new Promise((done) => {
      const socket = connect(port, "192.0.2.1", () => done("open")).on("error", (error) => done(error.code));
      setTimeout(() => { socket.destroy(); done("silent"); }, 15000);
    });
    Promise.all([${ports}].map(open)).then((all) => console.log(all.join(" ")) ?? process.exit());`;
  const line = program.replaceAll(/\s*\n\s*/g, " ").trim();
  const { text } = await shell.run(
    `ip netns exec phone /usr/bin/tallydeck-node --input-type=module -e '${line}'`,
  );
  return text;
}
