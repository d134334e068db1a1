import { execFileSync } from "node:child_process";
import { join } from "node:path";

const INSTALL = join(import.meta.dirname, "install-tools");

/** As scripts/install-tools knows them. */
type Tool =
  | "caddy"
  | "chromium"
  | "chromium-headless-shell"
  | "etcd-server"
  | "firefox-esr"
  | "iproute2"
  | "minisign"
  | "mosquitto"
  | "nftables"
  | "openssl"
  | "patroni"
  | "pebble"
  | "pgbouncer"
  | "postgresql"
  | "prometheus"
  | "shellcheck"
  | "webkit2gtk-driver"
  | "xvfb";

const there = new Set<Tool>();

/**
 * Has Debian's packages installed that are missing here; says so on standard error. Called by what uses
 * them, so that a test needs nothing that it does not use.
 * @throws {Error} where they cannot be had; why was said
 */
export function needTools(...tools: readonly Tool[]): void {
  const unsure = tools.filter((tool) => !there.has(tool));
  if (unsure.length === 0) return;
  try {
    execFileSync(INSTALL, unsure, { stdio: ["ignore", "ignore", "inherit"] });
  } catch {
    throw new Error(`This needs ${unsure.join(" ")} of Debian: see above.`);
  }
  for (const tool of unsure) there.add(tool);
}
