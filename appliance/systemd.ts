/** First of the file descriptors that systemd hands over; see sd_listen_fds(3). */
const FIRST_FD = 3;

/**
 * File descriptors of the sockets systemd opened for this process, by `FileDescriptorName=` of their
 * units; empty when it was started by other means.
 */
export function handedSockets(
  env: Readonly<Record<string, string | undefined>>,
  pid: number,
): ReadonlyMap<string, number> {
  // The variables are inherited by children, for which they are not meant.
  if (env.LISTEN_PID !== String(pid)) return new Map();
  const count = Number(env.LISTEN_FDS ?? 0);
  const names = (env.LISTEN_FDNAMES ?? "").split(":");
  return new Map(names.slice(0, count).map((name, index) => [name, FIRST_FD + index]));
}
