import assert from "node:assert/strict";
import { request } from "node:https";
import { connect } from "node:tls";
import { inOneLine } from "../../test/helpers/certificates.ts";
import { freePort } from "../../test/helpers/free-port.ts";
import { Pebble } from "../../test/helpers/pebble.ts";
import { type Box, CHROME, viewOf } from "./box.ts";
import type { Card } from "./card.ts";
import type { Checks } from "./checks.ts";
import { HOST } from "./network.ts";
import { until } from "./owner.ts";
import { trustClock, withMachine } from "./starts.ts";
import { boxOf } from "./update-run.ts";

const NAME = "tally.example.org";

/** A public address, from the card to a visitor; its certificate is of a CA on this machine. */
export async function checkPublicAddress(checks: Checks, card: Card, token: string): Promise<void> {
  const tlsPort = await freePort();
  const pebble = await Pebble.open({ names: `DNS:localhost,IP:${HOST}`, tls: tlsPort });
  const visitor = { tlsPort, root: await pebble.root() };
  const before = card.boot.read("tallydeck.env")?.toString().trimEnd() ?? "";
  const settings = [
    before,
    `PUBLIC_NAME=${NAME}`,
    "ACME_AGREE=1",
    `ACME_DIRECTORY=https://${HOST}:${pebble.ports.directory}/dir`,
    `ACME_CA=${inOneLine(pebble.caFile)}`,
    "OPEN_PORT=off",
    "",
  ];
  card.boot.write("tallydeck.env", settings.join("\r\n"));
  let shown: string | undefined;
  try {
    await checks.check(
      "gets a certificate for its public name, and counts who comes by https",
      () =>
        withBox(card, visitor, async (box) => {
          await box.machine.shell.run(`resolvectl dns eth0 ${HOST}:${pebble.ports.dns}`);
          await trustClock(box);
          shown = await until("a certificate", () => certificateOf(visitor));
          assert.equal(await ask(visitor, viewOf("/by-tls")), 200);
          assert.equal((await box.read("/stats?site=blog", token)).path["/by-tls"], 1);
          for (const path of ["/dashboard", "/stats?site=blog", "/api/sites"])
            assert.equal(await ask(visitor, path), 404, path);
          const files = "find /data/tallydeck/tls -printf '%y %m %u\\n' | sort -u";
          const { text } = await box.machine.shell.run(files);
          assert.equal(text, "d 700 tallydeck\nf 600 tallydeck");
        }),
    );
    await pebble.end();
    await checks.check("still has its certificate after a restart, without its CA", () =>
      withBox(card, visitor, async () => {
        assert.equal(await until("a certificate", () => certificateOf(visitor)), shown);
        assert.equal(await ask(visitor, viewOf("/again")), 200);
      }),
    );
  } finally {
    await pebble.end();
    card.boot.write("tallydeck.env", `${before}\r\n`);
  }
}

function withBox(card: Card, { tlsPort }: Visitor, use: (box: Box) => Promise<void>) {
  return withMachine(card, { tlsPort }, async (machine) => use(await boxOf(machine)));
}

/** Somebody on the internet, who trusts the CA. */
interface Visitor {
  readonly tlsPort: number;
  readonly root: string;
}

/** The fingerprint of the box's certificate; undefined while there is none that is trusted. */
function certificateOf({ tlsPort, root }: Visitor): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const socket = connect({ host: "127.0.0.1", port: tlsPort, servername: NAME, ca: root }, () => {
    resolve(socket.getPeerX509Certificate()?.fingerprint256);
    socket.end();
  });
  socket.on("error", () => resolve(undefined));
  socket.setTimeout(HANDSHAKE_MS, () => socket.destroy(new Error("no answer")));
  return promise;
}

const HANDSHAKE_MS = 20_000;

/** The status of an answer by https. */
function ask({ tlsPort, root }: Visitor, path: string): Promise<number | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
  const to = {
    host: "127.0.0.1",
    port: tlsPort,
    servername: NAME,
    ca: root,
    agent: false,
  } as const;
  const headers = { host: NAME, "user-agent": CHROME };
  request({ ...to, path, headers }, (response) => {
    response.resume().on("end", () => resolve(response.statusCode));
  })
    .on("error", reject)
    .end();
  return promise;
}
