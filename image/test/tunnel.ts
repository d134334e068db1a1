import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Box } from "./box.ts";
import type { Checks } from "./checks.ts";
import { until } from "./owner.ts";

const GUIDE = readFileSync(join(import.meta.dirname, "../../docs/tunnel.md"), "utf8");
/** The box's address in the tunnel, and its server's on the internet. */
const BOX = "10.8.0.2";
const SERVER = "203.0.113.1";

/**
 * A tunnel to a server, which is set up as the guide says; it and two visitors are network namespaces
 * in the box. The server's end goes there after it was made here, so that its sealed packets come and
 * go by the box's loopback.
 */
export async function checkTunnel(checks: Checks, box: Box): Promise<void> {
  const { says } = box.machine.shell;
  const tunnel = async () => (await box.control("GET", "/api/public/tunnel")).json;
  const keys = generateKeyPairSync("x25519");
  const half = (key: { export: (as: { format: "jwk" }) => { x?: string; d?: string } }) => {
    const { d, x } = key.export({ format: "jwk" });
    return Buffer.from(d ?? x ?? "", "base64url").toString("base64");
  };

  await checks.check("makes the tunnel that was pasted in the Web UI", async () => {
    const conf = guide("Endpoint")
      .replace(/^PublicKey = .*$/m, `PublicKey = ${half(keys.publicKey)}`)
      .replace(/^Endpoint = .*$/m, "Endpoint = 127.0.0.1:51820");
    const reply = await box.control("POST", "/api/public/tunnel", { conf });
    assert.equal(reply.status, 200, reply.body.toString());
    const { publicKey } = await until(
      "the tunnel",
      async () => (await tunnel()).tunnel ?? undefined,
    );
    await until("its address", async () =>
      (await says("ip -br address show dev tallydeck-wg | cat")).includes(BOX),
    );
    await says(serverOf(half(keys.privateKey), publicKey));
    await says(`${NAMESPACES}\nip netns exec server nft -f - <<'END'\n${guide("dstnat")}\nEND`);
    await until("the server's answer", async () => (await tunnel()).heard || undefined);
    assert.equal(await says("systemctl --failed --no-legend --plain --no-pager"), "");
  });

  await checks.check("goes by its tunnel to visitors only", async () => {
    assert.match(await says("ip route get 1.1.1.1 | cat"), /dev eth0/);
    assert.match(await says(`ip route get 1.1.1.1 from ${BOX} | cat`), /dev tallydeck-wg/);
    assert.equal(
      await says("ls -l /run/systemd/network/40-tallydeck-wg.netdev | cut -c1-10"),
      "-rw-r-----",
    );
  });

  await checks.check("counts visitors of its server, and keeps their addresses apart", async () => {
    const survey = `
      const ask = async (number) => (await fetch("http://${SERVER}/s?s=blog", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ sv: 1, c: "t" + number }),
      })).status;
      const statuses = [];
      for (let number = 0; number < Number(process.argv[1]); number++) statuses.push(await ask(number));
      console.log(statuses.join(" "));
      process.exit();`;
    assert.equal(await says(inside("visitor", survey, "4")), "204 204 204 429");
    assert.equal(await says(inside("other", survey, "1")), "204");
  });

  await checks.check("opens 80 and 443 to its server, and nothing else", async () => {
    const knock = `
      import { connect } from "node:net";
      const open = (port) => new Promise((done) => {
        const socket = connect(port, "${BOX}", () => done(port)).on("error", () => done("refused"));
        setTimeout(() => { socket.destroy(); done("silent"); }, 20000);
      });
      Promise.all([80, 443, 3000, 22].map(open)).then((all) => console.log(all.join(" ")) ?? process.exit());`;
    assert.equal(await says(inside("server", knock)), "80 443 silent silent");
  });

  await checks.check("takes the tunnel away again", async () => {
    assert.equal((await box.control("DELETE", "/api/public/tunnel")).status, 200);
    await until("no tunnel", async () => (await tunnel()).tunnel === null);
    await until("no interface", async () =>
      (await says("ip -br link show dev tallydeck-wg")).includes("does not exist"),
    );
    await says("for name in server visitor other; do ip netns delete $name; done");
  });
}

/** The text of the guide in which a word stands. */
function guide(word: string): string {
  const blocks = [...GUIDE.matchAll(/^( *)```text\n([\s\S]*?)^\1```/gm)];
  const [, indent = "", text] = blocks.find(([block]) => block.includes(word)) ?? [];
  assert.ok(text, `the guide has a text with ${word}`);
  return text.replaceAll(new RegExp(`^${indent}`, "gm"), "");
}

/** The guide's file for the server, as the box's own system makes an interface of it. */
function serverOf(privateKey: string, publicKey: string): string {
  const [, port] = /^ListenPort = (\d+)$/m.exec(guide("ListenPort")) ?? [];
  const [, allowed] = /^AllowedIPs = (\S+)$/m.exec(guide("ListenPort")) ?? [];
  const netdev = [
    "[NetDev]",
    "Name=tallydeck",
    "Kind=wireguard",
    "[WireGuard]",
    `PrivateKey=${privateKey}`,
    `ListenPort=${port}`,
    "[WireGuardPeer]",
    `PublicKey=${publicKey}`,
    `AllowedIPs=${allowed}`,
    "",
  ].join("\n");
  return `echo ${Buffer.from(netdev).toString("base64")} | base64 -d >/run/systemd/network/60-server.netdev
    networkctl reload
    until ip link show dev tallydeck; do sleep 1; done
    rm /run/systemd/network/60-server.netdev`;
}

const NAMESPACES = `
  for name in server visitor other; do ip netns add $name; ip -n $name link set lo up; done
  ip link set tallydeck netns server
  ip -n server address add 10.8.0.1/24 dev tallydeck; ip -n server link set tallydeck up
  ip -n server link add street type bridge
  ip -n server address add ${SERVER}/24 dev street; ip -n server link set street up
  number=9
  for name in visitor other; do
    ip link add $name netns server type veth peer name eth0 netns $name
    ip -n server link set $name master street up
    ip -n $name address add 203.0.113.$number/24 dev eth0; ip -n $name link set eth0 up
    number=$((number + 1))
  done
  ip netns exec server sh -c 'echo 1 >/proc/sys/net/ipv4/ip_forward'
`;

/** A command line that runs a program in a namespace. */
function inside(namespace: string, program: string, ...args: string[]): string {
  const line = program.replaceAll(/\s*\n\s*/g, " ").trim();
  return `ip netns exec ${namespace} /usr/bin/tallydeck-node --input-type=module -e '${line}' ${args.join(" ")}`;
}
