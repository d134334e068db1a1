import { execFileSync } from "node:child_process";
import { join } from "node:path";

const INSTALL = join(import.meta.dirname, "install-tools");

/** The packages of scripts/install-tools. */
type Tool =
  | "apache2-bin"
  | "apt-utils"
  | "caddy"
  | "chromium"
  | "chromium-headless-shell"
  | "etcd-server"
  | "firefox-esr"
  | "gnupg"
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
  | "systemd-container"
  | "webkit2gtk-driver"
  | "xvfb";

const there = new Set<Tool>();

/**
 * Installs missing packages of Debian, and reports it on standard error. Their users call it, so that a test needs only
 * the packages that it uses.
 * @throws {Error} where they cannot be installed; the reason was printed before
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
