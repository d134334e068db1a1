import { CommandFailed, type Terminal } from "../command.ts";

/** Resolves when a service is told to end, from now on. */
export function toldToStop({ onStop }: Terminal): Promise<void> {
  return new Promise((resolve) => {
    onStop(resolve);
  });
}

/**
 * The message for a listener that could not listen; undefined for other errors.
 * @param flags the flags for another port or address
 */
export function listenProblem(error: unknown, flags: readonly string[]): CommandFailed | undefined {
  const { code, syscall, address, port } = error as NodeJS.ErrnoException & {
    address?: string;
    port?: number;
  };
  if (syscall !== "listen" && code !== "ENOTFOUND") return undefined;
  const reason = {
    EADDRINUSE: "another program uses it",
    EACCES: "this user may not; ports below 1024 need privileges",
    EADDRNOTAVAIL: "this machine has no such address",
    ENOTFOUND: "nothing is known by that name",
  }[code ?? ""];
  const keys = flags.map((flag) => flag.slice(2).replaceAll("-", "_").toUpperCase());
  return new CommandFailed(
    `Cannot listen on ${address ?? "the address"}${port === undefined ? "" : ` port ${port}`}: ${reason ?? code}. Choose another with ${oneOf(flags)}, which are ${oneOf(keys)} in a file of settings.`,
  );
}

function oneOf(names: readonly string[]): string {
  return `${names.slice(0, -1).join(", ")} or ${names.at(-1)}`;
}
