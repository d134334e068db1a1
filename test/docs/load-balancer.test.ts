import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { needTools } from "../../scripts/tools.ts";
import { balancing, readFleet } from "../helpers/fleet.ts";
import { eachFolder } from "../helpers/folder.ts";
import { freePort } from "../helpers/free-port.ts";
import { askPort } from "../helpers/world.ts";

describe("the load balancer", () => {
  const folder = eachFolder();
  const servers: Server[] = [];
  let caddy: ChildProcess;

  before(() => needTools("caddy"));

  afterEach(async () => {
    if (caddy.exitCode === null) {
      caddy.kill("SIGKILL");
      await once(caddy, "close");
    }
    for (const server of servers.splice(0)) server.close().closeAllConnections();
  });

  /** A collector that counts paths, and dies of each `everyth` before it answers: the connection ends. */
  async function collector(counted: string[], everyth: number): Promise<number> {
    let hits = 0;
    const server = createServer((request, response) => {
      if (request.url === "/") return response.end();
      counted.push(request.url ?? "");
      hits += 1;
      return hits % everyth === 0 ? request.socket.destroy() : response.end();
    }).listen(0, "127.0.0.1");
    servers.push(server);
    await once(server, "listening");
    return (server.address() as AddressInfo).port;
  }

  it("asks nobody else for a hit whose answer was lost, and another where a connection is refused", async () => {
    const counted: string[] = [];
    const ports = [await collector(counted, 3), await collector(counted, 4), await freePort()];
    const front = await freePort();
    let text = readFleet("Caddyfile").replace("{$STATS_NAME}", `http://:${front}`);
    for (const [index, upstream] of balancing().upstreams.entries())
      text = text.replace(upstream, `127.0.0.1:${ports[index]}`);
    // Failing collectors stay in use, since there are failures all the time.
    text = text.replace(/fail_duration .*/, "");
    const file = join(folder(), "Caddyfile");
    writeFileSync(file, `{\n\tadmin off\n}\n${text}`);
    const args = ["run", "--adapter", "caddyfile", "--config", file];
    caddy = spawn("caddy", args, { env: { ...process.env, HOME: folder() }, stdio: "ignore" });
    const asked = (path: string) => askPort(front, path).catch(() => undefined);
    while ((await asked("/ready"))?.status !== 200) await setTimeout(20);
    counted.length = 0;

    const paths = Array.from({ length: 120 }, (_, at) => `/e?n=${at}`);
    const answers: (number | undefined)[] = [];
    for (const path of paths) answers.push((await asked(path))?.status);
    const lost = answers.filter((status) => status !== 200).length;
    assert.deepEqual(counted.toSorted(), paths.toSorted());
    assert.ok(lost > 20, `${lost} answers were lost`);
  });
});
