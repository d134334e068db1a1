import { setTimeout } from "node:timers/promises";
import { Running } from "./tallydeck.ts";
import { type Ask, askPort, encode, type Reply } from "./world.ts";

const LOOK_MS = 20;

/** `tallydeck collect` on a free port, for a database that may be away. */
export class RunningCollector extends Running {
  #port = 0;

  static async start(
    env: Readonly<Record<string, string>>,
    {
      args = ["collect"],
      ...options
    }: ConstructorParameters<typeof Running>[2] & { args?: readonly string[] } = {},
  ): Promise<RunningCollector> {
    const collector = new RunningCollector([...args, "--port", "0"], env, options);
    const [, port] = await collector.says(/Collector {2}http:\/\/localhost:(\d+)/);
    collector.#port = Number(port);
    return collector;
  }

  /** The same in this process. */
  static startHere(env: Readonly<Record<string, string>>): Promise<RunningCollector> {
    return RunningCollector.start(env, { isHere: true });
  }

  get port(): number {
    return this.#port;
  }

  ask(path: string, ask: Ask = {}): Promise<Reply> {
    return askPort(this.#port, path, ask);
  }

  /** A view of a page of the site blog. */
  view(page: string): Promise<Reply> {
    return this.ask(`/e?s=blog&v=${encode({ p: page })}`, {
      headers: { "user-agent": "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Firefox/145.0" },
    });
  }

  /** Waits until `GET /` answers so. */
  async answers(status: number): Promise<void> {
    while ((await this.ask("/")).status !== status) await setTimeout(LOOK_MS);
  }
}
