import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdirSync, readFileSync } from "node:fs";
import { type ClientRequest, request } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo, Server as Listener } from "node:net";
import { join } from "node:path";
import { makeCertificates } from "./certificates.ts";
import type { Env } from "./here.ts";
import { askPort, CHROME, encode } from "./world.ts";

const ADMIN = "the-admin-token";

/** The settings of a place behind a front, and of a home that trusts it. @param tls the folder of the front */
export function placeEnv(tls: string): Env {
  return {
    SITES: "blog",
    STATS_TOKEN: ADMIN,
    TRUSTED_PROXIES: "127.0.0.1",
    NODE_EXTRA_CA_CERTS: join(tls, "ca.pem"),
  };
}

/** Sends a view to a service of `placeEnv`. @returns whether it was answered */
export function isViewed(port: number, path: string): Promise<boolean> {
  const query = new URLSearchParams({ s: "blog", v: encode({ p: path, u: 1 }) });
  return askPort(port, `/e?${query}`, { headers: { "user-agent": CHROME } }).then(
    ({ status }) => status < 300,
    () => false,
  );
}

/** The views that such a service shows. */
export async function shownViews(port: number): Promise<number> {
  const headers = { authorization: `Bearer ${ADMIN}` };
  const { status, json } = await askPort(port, "/stats?site=blog", { headers });
  assert.equal(status, 200);
  return json.pv?._ ?? 0;
}

/** A proxy by TLS before a place, as in most data centres, whose line can be cut. */
export class PlaceFront {
  port = 0;
  to = 0;
  readonly #server: Server;
  readonly #open = new Set<ClientRequest>();

  private constructor(server: Server) {
    this.#server = server;
  }

  /**
   * @param folder is made, with its certificate and `ca.pem`
   * @param door listens elsewhere, at an address of this name
   */
  static async open(
    folder: string,
    { door, names }: { door?: Listener; names?: string } = {},
  ): Promise<PlaceFront> {
    mkdirSync(folder);
    makeCertificates(folder, names);
    const read = (file: string) => readFileSync(join(folder, file));
    const server = createServer({ cert: read("server.pem"), key: read("server.key") });
    const front = new PlaceFront(server);
    server.on("request", (asked, answer) => {
      const headers = { ...asked.headers, "x-forwarded-proto": "https" };
      const { method, url: path } = asked;
      const on = request({ port: front.to, method, path, headers });
      front.#open.add(on);
      on.on("response", (its) => {
        answer.writeHead(its.statusCode ?? 0, its.headers);
        its.pipe(answer).on("error", () => {});
        its.on("error", () => answer.destroy());
      });
      on.on("error", () => answer.destroy());
      on.on("close", () => front.#open.delete(on));
      answer.on("close", () => on.destroy());
      asked.pipe(on);
    });
    if (door !== undefined) {
      door.on("connection", (socket) => server.emit("connection", socket));
      return front;
    }
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    front.port = (server.address() as AddressInfo).port;
    return front;
  }

  /** Cuts whatever is asked now. */
  cut(): void {
    for (const on of this.#open) on.destroy();
    this.#server.closeAllConnections();
  }

  async close(): Promise<void> {
    this.cut();
    this.#server.close();
  }
}
