import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rootFolders } from "../../../appliance/base/system/root-requests.ts";
import { FakeUpdater } from "../../helpers/fake-updater.ts";
import { Minisign } from "../../helpers/minisign.ts";
import { Street } from "../../image/street.ts";
import type { Life, Lived } from "./sealed-hours.ts";

// Each sentence takes some seconds, of real time: a service waits in vain for answers of names and hosts.
const HOURS = join(import.meta.dirname, "sealed-hours.ts");

/**
 * A network with nobody in it: every address of the world leads into an interface behind which there is nothing, names are
 * asked for at 192.0.2.53, and the kernel notes to whom each packet would go.
 */
const SEAL = `
  ip link set lo up
  ip link add world type veth peer name nobody
  ip link set world up
  ip link set nobody up
  ip address add 192.0.2.2/24 dev world
  ip address add 2001:db8::2/64 dev world nodad
  ip route add default dev world
  ip -6 route add default dev world
  echo 'nameserver 192.0.2.53' >"$1/resolv.conf"
  mount --bind "$1/resolv.conf" /etc/resolv.conf
  nft -f - <<'RULES'
    table inet seal {
      set sent4 { type ipv4_addr . inet_proto . inet_service; flags dynamic; size 1000; }
      set sent6 { type ipv6_addr . inet_proto . inet_service; flags dynamic; size 1000; }
      chain out {
        type filter hook output priority 0;
        oifname lo accept
        meta nfproto ipv4 meta l4proto { tcp, udp } add @sent4 { ip daddr . meta l4proto . th dport }
        meta nfproto ipv6 meta l4proto { tcp, udp } add @sent6 { ip6 daddr . meta l4proto . th dport }
      }
    }
RULES
  exec "$2" "$3" "$4"
`;

interface Sent {
  readonly nftables: readonly {
    readonly set?: { readonly elem?: readonly { readonly concat: readonly unknown[] }[] };
  }[];
}

/** The views that were counted in each life, and to whom packets went, like `192.0.2.10 tcp 1883`. */
function live(folder: string, lives: readonly Life[]): { views: number; sent: string[] }[] {
  const told = lives.map(({ hours, settings }, n) => ({
    hours,
    settings: { DATA_DIR: join(folder, `data-${n}`), ...settings },
  }));
  const seal = ["--net", "--mount", "bash", "-euc", SEAL, "bash", folder, process.execPath, HOURS];
  const said = execFileSync("unshare", [...seal, JSON.stringify(told)], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });
  return (JSON.parse(said) as Lived[]).map(({ stats, sent }) => ({
    views: stats.pv._,
    sent: sent
      .flatMap((set) => (JSON.parse(set) as Sent).nftables)
      .flatMap(({ set }) => set?.elem ?? [])
      .map(({ concat }) => concat.join(" "))
      .toSorted(),
  }));
}

describe("a service in a network that notes every packet", () => {
  const folder = mkdtempSync(join(tmpdir(), "tallydeck-test-"));

  let alone: ReturnType<typeof live>[number];
  let told: typeof alone;
  let named: typeof alone;
  before(function () {
    if (Street.isMissing !== undefined) this.skip();
    [alone, told, named] = live(folder, [
      { hours: 24, settings: {} },
      // The first look for a release is within a day and ten minutes.
      { hours: 25, settings: toldWhere() },
      { hours: 1, settings: { MQTT_URL: "mqtt://broker.example" } },
    ]) as [typeof alone, typeof alone, typeof alone];
  });
  after(() => rmSync(folder, { recursive: true }));

  function toldWhere(): Record<string, string> {
    const [updateDir, updatesDir] = [rootFolders(folder).update, join(folder, "updates")];
    new FakeUpdater(updateDir, updatesDir);
    mkdirSync(updatesDir, { recursive: true });
    const minisign = new Minisign();
    const [, key = ""] = minisign.file.split("\n");
    minisign.remove();
    return {
      MQTT_URL: "mqtt://192.0.2.10",
      ROOT_DIR: folder,
      UPDATES_DIR: updatesDir,
      UPDATE_URL: "https://192.0.2.80/releases/",
      UPDATE_KEY: key,
    };
  }

  it("sends nothing to anybody in a whole day while nothing is turned on", () => {
    assert.ok(alone.views > 0);
    assert.deepEqual(alone.sent, []);
  });

  it("sends to the broker and looks for releases where the owner says, and asks nobody else", () => {
    assert.deepEqual(told.sent, ["192.0.2.10 tcp 1883", "192.0.2.80 tcp 443"]);
  });

  it("asks for its name, where it is named by one", () => {
    assert.deepEqual(named.sent, ["192.0.2.53 udp 53"]);
  });
});
