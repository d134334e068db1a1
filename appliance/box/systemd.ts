import { type Clock, LONGEST_TIMER_MS } from "../base/clock.ts";
import type { Cancel } from "../base/signal.ts";
import { askSoon } from "../base/system/program.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** First of the file descriptors that systemd hands over; see sd_listen_fds(3). */
const FIRST_FD = 3;
/** A report is of no use to systemd after so long. */
const NOTIFY_MS = 10_000;

/**
 * File descriptors of the sockets systemd opened for this process, by `FileDescriptorName=` of their
 * units; empty when it was started by other means.
 */
export function handedSockets(env: Environment, pid: number): ReadonlyMap<string, number> {
  // Children inherit the variables, which are meant for one process.
  if (env.LISTEN_PID !== String(pid)) return new Map();
  const count = Number(env.LISTEN_FDS ?? 0);
  const names = (env.LISTEN_FDNAMES ?? "").split(":");
  return new Map(names.slice(0, count).map((name, index) => [name, FIRST_FD + index]));
}

interface ManagerOptions {
  env: Environment;
  clock: Pick<Clock, "after">;
  /** Sends a state to systemd (sd_notify(3)); `systemd-notify` unless given. */
  notify?: (state: string) => void;
}

/** The service's reports to systemd; none where no systemd listens. */
export class ServiceManager {
  readonly #notify: (state: string) => void;
  readonly #clock: Pick<Clock, "after">;
  readonly #everyMs: number | undefined;
  #cancel: Cancel = () => {};
  #stopped = false;

  constructor({ env, clock, notify = systemdNotify(env) }: ManagerOptions) {
    this.#notify = env.NOTIFY_SOCKET === undefined ? () => {} : notify;
    this.#clock = clock;
    const patience = Number(env.WATCHDOG_USEC) / 1_000;
    // Three tries fit into systemd's patience.
    this.#everyMs = patience > 0 ? Math.min(patience / 3, LONGEST_TIMER_MS) : undefined;
  }

  /**
   * Reports that the service is up. From now on systemd restarts it, unless this process and `alive`, which resolves
   * when the essential parts have answered, respond in time.
   */
  ready(alive: () => Promise<unknown>): void {
    this.#notify("READY=1");
    if (this.#everyMs !== undefined) this.#watch(alive, this.#everyMs);
  }

  /**
   * Reports why it does not come up. `systemctl status` shows it; of a service that waits for its next start it leaves
   * out the lines in the journal.
   */
  failed({ message }: Error): void {
    this.#notify(`STATUS=${message.replaceAll("\n", " ")}`);
  }

  stopping(): void {
    this.#stopped = true;
    this.#cancel();
    this.#notify("STOPPING=1");
  }

  #watch(alive: () => Promise<unknown>, everyMs: number): void {
    this.#cancel = this.#clock.after(everyMs, () => {
      const answered = () => {
        if (this.#stopped) return;
        this.#notify("WATCHDOG=1");
        this.#watch(alive, everyMs);
      };
      // Without an answer there is no next signal, and systemd's time limit runs out.
      alive().then(answered, () => {});
    });
  }
}

/** Node has no unix datagram sockets: systemd's own program speaks for it. */
function systemdNotify({ NOTIFY_SOCKET, PATH }: Environment): (state: string) => void {
  return (state) => {
    const options = { values: [state], timeoutMs: NOTIFY_MS, env: { NOTIFY_SOCKET, PATH } };
    askSoon("systemd-notify", [], options).catch(() => {});
  };
}
