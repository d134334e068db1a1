import assert from "node:assert/strict";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { commandLine, type Run } from "../../../appliance/base/system/program.ts";
import { changeTunnel } from "../../../appliance/box/provision/asked-tunnel.ts";
import { provisionBox } from "../../../appliance/box/provision/box.ts";

/** RFC 7748, section 6.1: Alice's key, and what is public of it. */
const KEY = "dwdtCnMYpX08FsFyUbJmRd9ML4frwJkqsXf7pR25LCo=";
const PUBLIC = "hSDwCYkwp1R0i33ctD73Wg2/Og0mOBr066SpjqqbTmo=";
const SERVER = "xTIBA5rboUvnH4htodjb6e697QjLERt1NAB4mZqp8Dg=";
const PRESHARED = "yAnz5TF+lXXJte14tji3zlMNq+hd2rYUIgJBgB3fBmk=";
const NETDEV = "run/systemd/network/40-tallydeck-wg.netdev";
const NETWORK = "run/systemd/network/40-tallydeck-wg.network";
const ASKED = "run/tallydeck-tunnel/asked";

function conf({
  key = `PrivateKey = ${KEY}`,
  more = "",
  endpoint = "203.0.113.5:51820",
} = {}): string {
  const own = `[Interface]\r\n${key}\r\nAddress = 10.8.0.2/24\r\n`;
  return `${own}[Peer]\r\nPublicKey = ${SERVER}\r\n${more}Endpoint = ${endpoint}\r\nAllowedIPs = 0.0.0.0/0\r\n`;
}

describe("a tunnel of the box", () => {
  let root = "";
  let ran: string[] = [];

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "tallydeck-tunnel-"));
    ran = [];
    for (const folder of ["boot/firmware", "data/system", "etc/iwd", "run/tallydeck", ASKED])
      mkdirSync(join(root, folder), { recursive: true });
  });
  afterEach(() => rmSync(root, { recursive: true }));

  const run: Run = (program, own, values) =>
    void ran.push([program, ...commandLine(own, values)].join(" "));
  const start = () => provisionBox({ root, run: () => {}, isMounted: () => true });
  const change = () => changeTunnel({ root, run });
  const write = (path: string, text: string) => writeFileSync(join(root, path), text);
  const read = (path: string) => readFileSync(join(root, path), "utf8");
  const card = (text: string) => write("boot/firmware/wireguard.conf", text);
  const result = () => read("boot/firmware/SETUP-RESULT.txt");
  const state = () => JSON.parse(read("run/tallydeck-tunnel/state.json"));
  const isThere = (path: string) => existsSync(join(root, path));
  /** The next start: what was in memory is gone. */
  const restart = () => {
    rmSync(join(root, "run/systemd"), { recursive: true });
    start();
  };

  it("comes from the card, whose keys the box takes away and keeps", () => {
    card(conf({ more: `PresharedKey=${PRESHARED}\r\n` }));
    start();
    const made = read(NETDEV);
    for (const line of [`PrivateKey=${KEY}`, `PresharedKey=${PRESHARED}`, `PublicKey=${SERVER}`])
      assert.ok(made.split("\n").includes(line), made);
    const left = read("boot/firmware/wireguard.conf");
    assert.match(left, /^PrivateKey =\r\n/m);
    assert.match(left, /^PresharedKey=\r\n/m);
    assert.equal(statSync(join(root, NETDEV)).mode & 0o777, 0o640);
    restart();
    assert.equal(read(NETDEV), made);
    assert.match(result(), /applied {2}the tunnel: to 203\.0\.113\.5:51820\r\n/);
    assert.ok(result().includes(`Its public key in the tunnel is ${PUBLIC}:`));
    assert.deepEqual(state(), {
      declared: true,
      endpoint: "203.0.113.5:51820",
      addresses: ["10.8.0.2"],
      publicKey: PUBLIC,
    });
  });

  it("takes the answers of its own address, and no other way of the box", () => {
    card(conf());
    start();
    const network = read(NETWORK);
    assert.match(network, /^Address=10\.8\.0\.2\/32$/m);
    assert.match(
      network,
      /^\[RoutingPolicyRule\]\nFrom=10\.8\.0\.2\/32\nTable=(\d+)\n\[Route\]\nDestination=0\.0\.0\.0\/0\nTable=\1\n$/m,
    );
    assert.match(read(NETDEV), /^RouteTable=off$/m);
    assert.match(read(NETDEV), /^PersistentKeepalive=25$/m);
  });

  it("without a key has one that the box makes, once, and tells the public half of", () => {
    card(conf({ key: "" }));
    start();
    const { publicKey } = state();
    assert.ok(result().includes(publicKey));
    assert.equal(statSync(join(root, "data/system/wireguard.key")).mode & 0o777, 0o600);
    card(conf({ key: "", endpoint: "198.51.100.7:51820" }));
    restart();
    assert.equal(state().publicKey, publicKey);
    assert.equal(state().endpoint, "198.51.100.7:51820");
  });

  it("goes to another server with the key the box took", () => {
    card(conf());
    start();
    card(conf({ key: "PrivateKey =", endpoint: "198.51.100.7:51820" }));
    restart();
    assert.match(read(NETDEV), /^Endpoint=198\.51\.100\.7:51820$/m);
    assert.ok(read(NETDEV).includes(KEY));
  });

  it("is not made of a file with a command or a mistake, which the report names", () => {
    card(conf({ more: "PostUp = reboot\r\nColour = red\r\n" }));
    start();
    assert.ok(!isThere(NETDEV));
    assert.match(result(), /IGNORED {2}PostUp \(line 6\): is a command/);
    assert.match(result(), /IGNORED {2}Colour \(line 7\): this box does not know it/);
    assert.match(result(), /IGNORED {2}the tunnel: is not made/);
  });

  it("of a key that is none says so, and that it is still on the card", () => {
    card(conf({ key: "PrivateKey = secret" }));
    start();
    assert.match(result(), /IGNORED {2}PrivateKey \(line 2\): must be a key.*still in this file/);
  });

  it("tells of visitors that it shuts out, and of a key it would need again", () => {
    card(conf({ more: "PresharedKey =\r\n" }).replace("0.0.0.0/0", "10.8.0.1/32"));
    start();
    assert.match(result(), /the tunnel: to .*; visitors of other.*; its PresharedKey is empty/);
  });

  it("stays when its file is gone, until (none) takes it away with its keys", () => {
    card(conf());
    start();
    rmSync(join(root, "boot/firmware/wireguard.conf"));
    start();
    assert.match(
      result(),
      /wireguard\.conf, which is no longer on the card.*\r\n {2}applied {2}WIREGUARD: to/,
    );
    assert.ok(isThere(NETDEV));
    write("boot/firmware/tallydeck.env", "WIREGUARD=(none)\n");
    start();
    for (const path of [NETDEV, NETWORK, "run/tallydeck-tunnel/state.json"])
      assert.ok(!isThere(path));
    assert.ok(!read("data/system/settings.json").includes(KEY));
  });

  it("is not written into tallydeck.env", () => {
    write("boot/firmware/tallydeck.env", "WIREGUARD=on\n");
    start();
    assert.match(result(), /IGNORED {2}WIREGUARD \(line 1\): must be \(none\).*wireguard\.conf/);
  });

  it("comes from the Web UI, is there at the next start, and goes again", () => {
    start();
    write(`${ASKED}/wireguard.conf`, conf());
    change();
    assert.deepEqual(ran, ["networkctl reload"]);
    assert.deepEqual(readdirSync(join(root, ASKED)), []);
    assert.equal(statSync(join(root, "data/system/wireguard.conf")).mode & 0o777, 0o600);
    const made = read(NETDEV);
    assert.ok(made.includes(KEY));
    assert.equal(state().declared, false);
    restart();
    assert.equal(read(NETDEV), made);

    mkdirSync(join(root, "sys/class/net/tallydeck-wg"), { recursive: true });
    write(`${ASKED}/remove`, "");
    ran = [];
    change();
    assert.deepEqual(ran, ["ip link delete tallydeck-wg", "networkctl reload"]);
    assert.ok(!isThere(NETDEV) && !isThere("data/system/wireguard.conf"));
    restart();
    assert.ok(!isThere(NETDEV));
  });

  it("of the card is not changed from the Web UI", () => {
    card(conf());
    start();
    write(`${ASKED}/wireguard.conf`, conf({ endpoint: "198.51.100.7:51820" }));
    change();
    assert.deepEqual(ran, []);
    assert.equal(state().endpoint, "203.0.113.5:51820");
    assert.deepEqual(readdirSync(join(root, ASKED)), []);
  });

  it("is left as it is by a wish that makes no sense", () => {
    write(`${ASKED}/wireguard.conf`, conf());
    change();
    write(`${ASKED}/wireguard.conf`, "\0".repeat(100_000));
    ran = [];
    change();
    assert.deepEqual(ran, []);
    assert.ok(isThere(NETDEV));
    assert.deepEqual(readdirSync(join(root, ASKED)), []);
  });
});
