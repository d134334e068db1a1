import { once } from "node:events";
import { createServer } from "node:net";

/** Below those the kernel gives to whoever connects or names no port, on Linux. */
const KEPT_FROM = 20_000;
const KEPT_TO = 32_000;

/**
 * A port of 127.0.0.1 that nobody has at this moment, and that nobody is given either before its server listens, or while that is
 * down.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = KEPT_FROM + Math.floor(Math.random() * (KEPT_TO - KEPT_FROM));
    const free = await tried(port).catch(() => undefined);
    if (free !== undefined) return free;
  }
}

/** Rejects when somebody has it. */
async function tried(wanted: number): Promise<number> {
  const server = createServer().listen(wanted, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  return port;
}
