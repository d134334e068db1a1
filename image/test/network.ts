import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:https";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Box } from "./box.ts";
import type { Checks } from "./checks.ts";
import { until } from "./owner.ts";

/** This machine, as the box sees it. */
export const HOST = "10.0.2.2";
const PORT_OPENS_MS = 5_000;

/** Checks messages of the box in its network, in both directions. */
export async function checkNetwork(checks: Checks, box: Box): Promise<void> {
  const { says } = box.machine.shell;

  await checks.check("lets nobody in by a port it does not serve", async () => {
    const listener = "require('net').createServer((socket) => socket.end('in')).listen(8080)";
    await says(`systemd-run --unit=other-door /usr/bin/tallydeck-node -e "${listener}"; sleep 5`);
    assert.equal(await heardAt(box.machine.otherPort), "");
    await says("nft add element inet tallydeck lan_ports { 8080 }");
    assert.equal(await heardAt(box.machine.otherPort), "in");
    await says("nft delete element inet tallydeck lan_ports { 8080 }; systemctl stop other-door");
  });

  await checks.check("answers to its name by mDNS", async () => {
    assert.match(await says(`/usr/bin/tallydeck-node -e "${MDNS_QUESTION}"`), /^10\.0\.2\.15$/m);
  });

  await checks.check("announces its name again when its address changes", async () => {
    await says("ip address add 10.0.2.99/24 dev eth0; sleep 5");
    assert.match(
      await says("journalctl -b -u avahi-daemon -o cat --no-pager"),
      /Registering new address record for 10\.0\.2\.99 on eth0/,
    );
    await says("ip address del 10.0.2.99/24 dev eth0");
  });

  await checks.check(
    "wins its name back when avahi gave it up, and shows the one in force",
    async () => {
      const shown = () => says("cat /run/tallydeck-name/name");
      const isOwn = async () => (await shown()) === "counter";
      await until("its own name is in force", isOwn);
      const server = "org.freedesktop.Avahi / org.freedesktop.Avahi.Server";
      await says(`busctl call ${server} SetHostName s counter-3`);
      await until("the other is", async () => (await shown()) === "counter-3");
      await until("its own is again", isOwn);
      assert.match(await says(`busctl call ${server} GetHostName`), /"counter"/);
    },
  );

  await checks.check("sets a clock that is months late by a web server's date", () =>
    withDateServer(async ({ port, certificate }) => {
      await says(
        `echo ${Buffer.from(certificate).toString("base64")} | base64 -d >/usr/lib/ssl/cert.pem`,
      );
      await says(
        `echo '${HOST} date.example' >>/etc/hosts; echo date.example:${port} >/run/tallydeck/time-host`,
      );
      await says("rm -f /run/tallydeck-clock/set; date -s '2026-01-02 03:04:05'");
      await says("systemctl start tallydeck-https-date.service");
      const late = Date.now() / 1_000 - Number(await says("date +%s"));
      assert.ok(Math.abs(late) < 60, `${late} s late`);
      assert.equal(await says("ls /run/tallydeck-clock/set"), "/run/tallydeck-clock/set");
    }),
  );
}

/** The greeting of a server; empty where it accepts no connection. */
async function heardAt(port: number): Promise<string> {
  const socket = connect(port, "127.0.0.1").setEncoding("utf8");
  let heard = "";
  socket.on("data", (text) => (heard += text)).on("error", () => {});
  setTimeout(() => socket.destroy(), PORT_OPENS_MS);
  await once(socket, "close");
  return heard;
}

/** Asks the network for the box's name, as a computer without a resolver of its own would. */
const MDNS_QUESTION = `
  const name = require('os').hostname();
  const label = (text) => [text.length, ...Buffer.from(text)];
  const question = [0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, ...label(name), ...label('local'), 0, 0, 1, 0, 1];
  const socket = require('dgram').createSocket('udp4');
  socket.on('message', (answer) => { console.log([...answer.subarray(-4)].join('.')); process.exit(); });
  socket.send(Buffer.from(question), 5353, '224.0.0.251');
  setTimeout(() => { console.log('no answer'); process.exit(); }, 10000);
`.replaceAll("\n", " ");

/** A web server on this machine that tells the date, with a certificate made for it. */
async function withDateServer(
  use: (server: { port: number; certificate: string }) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "tallydeck-date-"));
  const made = ["-keyout", join(folder, "key"), "-out", join(folder, "cert"), "-days", "30"];
  const names = ["-subj", "/CN=date.example", "-addext", "subjectAltName=DNS:date.example"];
  execFileSync("openssl", ["req", "-x509", "-newkey", "rsa:2048", "-nodes", ...made, ...names], {
    stdio: "pipe",
  });
  const certificate = readFileSync(join(folder, "cert"), "utf8");
  const server = createServer(
    { key: readFileSync(join(folder, "key")), cert: certificate },
    (_, response) => response.end(),
  ).listen(0, "127.0.0.1");
  try {
    await once(server, "listening");
    await use({ port: (server.address() as AddressInfo).port, certificate });
  } finally {
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true });
  }
}
