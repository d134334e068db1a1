import Koa from "koa";
import { readJson } from "../../../appliance/base/http/body.ts";
import { createClient } from "../../../appliance/base/http/client.ts";
import { allowUpload } from "../../../appliance/base/http/connection.ts";
import { errorBodies } from "../../../appliance/base/http/errors.ts";
import { COLLECTOR_LIMITS, type ConnectionLimits } from "../../../appliance/base/http/limits.ts";
import { type Listener, listen } from "../../../appliance/base/http/listen.ts";
import { createLog, RecentProblems } from "../../../appliance/base/log.ts";
import { FakeClock } from "../../helpers/fake-clock.ts";
import { Wire } from "../../helpers/wire.ts";

export const get = (path: string, more = "") => `GET ${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n`;
export const post = (path: string, body: string) =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n${body}`;
export const UPLOAD_BYTES = 40;
export const upload = `POST /upload HTTP/1.1\r\nHost: x\r\nContent-Length: ${UPLOAD_BYTES}\r\n\r\n`;
const PAGE = Buffer.alloc(62_000, "x");
/** More than the system holds for a connection on its own. */
export const HUGE = Buffer.alloc(40_000_000, "x");

interface Conditions {
  readonly limits?: Partial<ConnectionLimits>;
  readonly proxies?: string[];
  readonly patience?: NonNullable<Parameters<typeof listen>[3]["patience"]>;
}

interface Stage {
  readonly clock: FakeClock;
  readonly listener: Listener;
  readonly problems: RecentProblems;
  /** Paths asked for, in order, and the most that were answered at once. */
  readonly asked: string[];
  readonly most: () => number;
  /** Bytes of uploads that came. */
  readonly received: () => number;
  /** Lets `/wait` be answered. */
  readonly release: () => void;
  knock(from?: string): Promise<Wire>;
  /** A connection that was answered once and is kept. */
  guest(from?: string): Promise<Wire>;
}

/** Opens listeners for the tests of a suite, each closed at its test's end. */
export function stages(): (conditions?: Conditions) => Promise<Stage> {
  const listeners: Listener[] = [];
  afterEach(() => Promise.all(listeners.splice(0).map((listener) => listener.close())));
  return async ({ limits = {}, proxies = [], patience } = {}) => {
    const clock = new FakeClock();
    const problems = new RecentProblems();
    const log = createLog(() => {}, problems);
    const asked: string[] = [];
    const gate = Promise.withResolvers<void>();
    let [running, most, received] = [0, 0, 0];
    const app = new Koa();
    app.silent = true;
    app.use(errorBodies(log));
    app.use(async (ctx) => {
      asked.push(ctx.path);
      most = Math.max(most, ++running);
      if (ctx.path === "/upload") {
        allowUpload(ctx.req);
        ctx.req.on("data", (part: Buffer) => {
          received += part.length;
        });
      }
      if (ctx.method === "POST") await readJson(ctx.req, 100);
      if (ctx.path === "/wait") await gate.promise;
      await new Promise((resolve) => setImmediate(resolve));
      ctx.body = { "/page": PAGE, "/huge": HUGE }[ctx.path] ?? "ok";
      running--;
    });
    const listener = await listen(app, 0, undefined, {
      clock,
      client: createClient(proxies),
      log,
      limits: { ...COLLECTOR_LIMITS, ...limits },
      ...(patience && { patience }),
    });
    listeners.push(listener);
    const knock = (from?: string) => Wire.open(listener.port, "127.0.0.1", from);
    return {
      clock,
      listener,
      problems,
      asked,
      most: () => most,
      received: () => received,
      release: () => gate.resolve(),
      knock,
      async guest(from) {
        const wire = await knock(from);
        wire.send(get("/"));
        await wire.hear("\r\n\r\nok");
        return wire;
      },
    };
  };
}
