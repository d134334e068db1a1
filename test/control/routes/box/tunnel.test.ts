import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { RootRequests, rootFolders } from "../../../../appliance/base/system/root-requests.ts";
import { TunnelSwitch } from "../../../../appliance/box/tunnel.ts";
import { eachFolder } from "../../../helpers/folder.ts";
import { assertError, Owner } from "../../../helpers/owner.ts";
import { eachWorld } from "../../../helpers/world.ts";

const KEY = "dwdtCnMYpX08FsFyUbJmRd9ML4frwJkqsXf7pR25LCo=";
const SERVER = "xTIBA5rboUvnH4htodjb6e697QjLERt1NAB4mZqp8Dg=";
const CONF = `[Interface]
PrivateKey = ${KEY}
Address = 10.8.0.2/24
DNS = 10.8.0.1
[Peer]
PublicKey = ${SERVER}
Endpoint = 203.0.113.5:51820
AllowedIPs = 0.0.0.0/0`;
const STATE = {
  declared: false,
  endpoint: "203.0.113.5:51820",
  addresses: ["10.8.0.2"],
  publicKey: SERVER,
};

describe("a tunnel in the Web UI", () => {
  const folder = eachFolder();
  const root = () => rootFolders(folder()).tunnel;
  const world = eachWorld(() => ({ env: { ROOT_DIR: folder() } }));
  const asked = (name = "") => join(root(), "asked", name);
  beforeEach(() => mkdirSync(asked(), { recursive: true }));

  const owner = () => new Owner(world());
  const show = () => owner().get("/api/public/tunnel");
  const make = (conf: unknown) => owner().ask("POST", "/api/public/tunnel", { conf });
  const remove = () => owner().ask("DELETE", "/api/public/tunnel");
  const rootSays = (state: object) =>
    writeFileSync(join(root(), "state.json"), JSON.stringify(state));

  it("is asked for by a file that root watches, and shown once it is there, without its key", async () => {
    assert.deepEqual(await show(), { possible: true, tunnel: null, pending: false, heard: false });
    // The umask of the box's unit.
    const umask = process.umask(0o077);
    assert.equal((await make(CONF)).json.pending, true);
    process.umask(umask);
    assert.deepEqual(readdirSync(asked()), ["wireguard.conf"]);
    assert.match(
      readFileSync(asked("wireguard.conf"), "utf8"),
      new RegExp(`^PrivateKey = ${KEY}$`, "m"),
    );
    assert.equal(statSync(asked("wireguard.conf")).mode & 0o777, 0o640);

    rmSync(asked("wireguard.conf"));
    rootSays(STATE);
    assert.deepEqual(await show(), { possible: true, tunnel: STATE, pending: false, heard: false });
  });

  it("is taken away in the same way", async () => {
    rootSays(STATE);
    assert.equal((await remove()).json.pending, true);
    assert.deepEqual(readdirSync(asked()), ["remove"]);
  });

  it("is refused with what is wrong, line by line, and asked of nobody", async () => {
    const reply = await make(`${CONF}\nPostUp = reboot`.replace("10.8.0.2/24", "here"));
    assertError(reply, 400, "invalid_field");
    assert.match(reply.json.error, /Address \(line 3\) must be .*PostUp \(line 9\) is a command/);
    for (const conf of ["", "x\n".repeat(20_000), 7, null, undefined, [CONF]])
      assertError(await make(conf), 400, "invalid_field");
    assert.ok((await make("x\n".repeat(20_000))).text.length < 1_000);
    assert.deepEqual(readdirSync(asked()), []);
  });

  it("of the card is changed there only", async () => {
    rootSays({ ...STATE, declared: true });
    assertError(await make(CONF), 409, "declared");
    assertError(await remove(), 409, "declared");
    assert.deepEqual(readdirSync(asked()), []);
  });

  it("says what to do when root cannot be told", async () => {
    rmSync(asked(), { recursive: true });
    assertError(await make(CONF), 503, "tunnel_failed");
  });

  it("is heard of once its server has answered", async () => {
    const counter = join(root(), "rx_bytes");
    const tunnel = new TunnelSwitch(new RootRequests(root()), counter);
    assert.equal((await tunnel.view()).heard, false);
    writeFileSync(counter, "0\n");
    assert.equal((await tunnel.view()).heard, false);
    writeFileSync(counter, "92\n");
    assert.equal((await tunnel.view()).heard, true);
  });
});

describe("a tunnel where Tallydeck is one program among others", () => {
  const world = eachWorld();

  it("is left to the machine", async () => {
    const owner = new Owner(world());
    assert.equal((await owner.get("/api/public/tunnel")).possible, false);
    const path = "/api/public/tunnel";
    assertError(await owner.ask("POST", path, { conf: CONF }), 409, "not_a_box");
    assertError(await owner.ask("DELETE", path), 409, "not_a_box");
  });
});
