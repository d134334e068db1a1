/**
 * Goes the way from an empty server to a visit on a key at home, as its owner and a visitor do, and counts the
 * steps. Started by image/place-journey, which makes the server and runs this in its network.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { parseArgs, promisify } from "node:util";
import { paint } from "../../appliance/deck/face/paint.ts";
import { statFace } from "../../appliance/deck/face/widgets/stat.ts";
import type { Pixels } from "../../appliance/deck/pixels.ts";
import { inOneLine } from "../../test/helpers/certificates.ts";
import { openChromium, openProfile } from "../../test/helpers/chromium.ts";
import { freePort } from "../../test/helpers/free-port.ts";
import { Guest } from "../../test/helpers/guest.ts";
import { mochaGlobalTeardown } from "../../test/helpers/hooks.ts";
import { Pebble } from "../../test/helpers/pebble.ts";
import { decode } from "../../test/helpers/pictures.ts";
import { Running } from "../../test/helpers/tallydeck.ts";
import { askPort } from "../../test/helpers/world.ts";
import { until } from "./owner.ts";

const { values } = parseArgs({
  options: {
    machine: { type: "string" },
    root: { type: "string" },
    work: { type: "string" },
    package: { type: "string" },
    out: { type: "string" },
  },
});
const { machine, root, work, package: file, out } = values;
if (!machine || !root || !work || !file || !out) {
  console.error("No server to begin with: image/place-journey makes one.");
  process.exit(2);
}

const NAME = "stats.example.com";
const SITE = "blog";
const TAG = `<script defer src="https://${NAME}/s.js" data-site="${SITE}"></script>`;
const MOST_STEPS = 6;
const SLOT = "k0";
const WIDGET = { type: "stat", site: SITE, metric: "pv", period: "day" } as const;

let steps = 0;
/** Does one more step of a person, and tells how long it took. */
async function step<T>(sentence: string, run: () => Promise<T>): Promise<T> {
  steps += 1;
  const began = performance.now();
  const made = await run();
  console.log(`${steps}  ${sentence} (${((performance.now() - began) / 1_000).toFixed(1)} s)`);
  return made;
}

/** Types a command line at the server, as root. @returns what it printed @throws {Error} with all of it when it fails */
async function type(line: string): Promise<string> {
  const within = [
    "--target",
    machine ?? "",
    "--all",
    "env",
    "-i",
    "DEBIAN_FRONTEND=noninteractive",
  ];
  const command = [...within, "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "sh", "-c", line];
  return (await promisify(execFile)("nsenter", command)).stdout;
}

const pebble = await Pebble.open({ tls: 443 });
const [port, webUi] = [await freePort(), await freePort()];
const ca = join(work, "root.pem");
writeFileSync(ca, await pebble.root());
// The authority is the only thing at the server that is not as it would be.
const drop = join(root, "etc/systemd/system/tallydeck-place.service.d");
mkdirSync(drop, { recursive: true });
writeFileSync(
  join(drop, "signer.conf"),
  `[Service]\nEnvironment=ACME_DIRECTORY=${pebble.directory} ACME_CA=${inOneLine(pebble.caFile)}\n`,
);
const flags = ["--port", `${port}`, "--webui-port", `${webUi}`, "--virtual-deck", "mini"];
const home = new Running(["run", "--data-dir", join(work, "home"), ...flags], {
  SITES: SITE,
  NODE_EXTRA_CA_CERTS: ca,
  TZ: "UTC",
});
const owner = new Guest(await openChromium());
const visitors = await openProfile({ ignoreHTTPSErrors: true });
const site = createServer((_, reply) =>
  reply
    .writeHead(200, { "content-type": "text/html" })
    .end(`<!doctype html><title>Blog</title>${tag}`),
).listen(0, "127.0.0.1");
let tag = "";

const ask = (method: string, path: string, body?: object) =>
  askPort(webUi, path, {
    method,
    ...(body && { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
  });
let deck = "";
/** The picture of the key, where it shows so many views: site and number, above the line of hours. */
async function pictureOf(views: number): Promise<Uint8Array | undefined> {
  const asked = `http://127.0.0.1:${webUi}/api/decks/${deck}/slots/${SLOT}/image.png`;
  const png = await (await fetch(asked)).bytes();
  const shown = (await decode(png)) ?? assert.fail("no picture");
  const numbers = { value: views, compared: null, series: [] };
  const context = { ...shown, now: Date.now(), clockSure: true, timeZone: "UTC", numbers };
  const above = ({ width, height, data }: Pixels) =>
    Buffer.from(data.subarray(0, 4 * width * Math.floor(height / 2)));
  return above(shown).equals(above(paint(statFace(WIDGET, context), shown))) ? png : undefined;
}

try {
  await once(site, "listening");
  await home.says(/Tallydeck is ready/);
  const { decks } = (await ask("GET", "/api/decks")).json;
  deck = encodeURIComponent(decks[0].id);
  const set = await ask("PUT", `/api/decks/${deck}/slots/${SLOT}`, { widget: WIDGET });
  assert.equal(set.status, 200);
  await until("0 on the key", () => pictureOf(0));
  console.log(`   Home runs, and has ${SITE} on a key: 0 views. ${NAME} leads to a new server.`);

  await step(`At the server: apt install .${file.replace("/root", "")}`, () =>
    type(`apt-get -y install ${file} </dev/null`),
  );
  const command = `tallydeck place --public-name ${NAME} --acme-agree`;
  const invitation = await step(`At the server: sudo ${command}`, async () => {
    const line = /^tallydeck-place:\S+$/m.exec(await type(command))?.[0];
    return line ?? assert.fail("no invitation");
  });
  await step(
    "At home, Machine, Places: pasted the invitation, and pressed “Add the place”",
    async () => {
      await owner.browser.go(`http://127.0.0.1:${webUi}/?tab=box&part=places`);
      await owner.fill("Invitation", invitation);
      await owner.click("button", "Add the place");
      // The place has the sites of home by then.
      await owner.sees("summary", /^1 site/);
    },
  );
  console.log("   No site to match: those of home are made at the place.");
  await step(`In the page: ${TAG}`, async () => {
    tag = TAG;
  });
  const page = await visitors.newPage();
  await step("A visitor opened the page", async () => {
    const counted = page.waitForResponse(/\/e\?/);
    await page.goto(`http://blog.example:${(site.address() as AddressInfo).port}/`);
    assert.equal(new URL((await counted).url()).host, NAME);
  });
  const began = performance.now();
  const after = await until("1 on the key", () => pictureOf(1));
  const seconds = ((performance.now() - began) / 1_000).toFixed(1);
  mkdirSync(out, { recursive: true });
  writeFileSync(join(out, "place-key.png"), after);
  assert.match(await type("tallydeck status"), /Fetched by +home asked last on /);
  console.log(`   The key at home shows 1 view, ${seconds} s later: ${join(out, "place-key.png")}`);
  console.log(`${steps} steps, ${owner.clicks} clicks among them, of at most ${MOST_STEPS} steps.`);
  assert.ok(steps <= MOST_STEPS);
} catch (error) {
  console.error(String(error));
  console.error(home.err);
  console.error(
    await type("journalctl --no-pager --lines=30 --unit=tallydeck-place").catch(String),
  );
  process.exitCode = 1;
} finally {
  site.closeAllConnections();
  site.close();
  await home.end();
  await pebble.end();
  await visitors.close();
  await owner.browser.end();
  await mochaGlobalTeardown();
  rmSync(join(work, "home"), { recursive: true, force: true });
}
