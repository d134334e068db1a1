import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { needTools } from "../../scripts/tools.ts";
import { newCertificate } from "./certificates.ts";
import { answering, ended } from "./daemon.ts";
import { freePort } from "./free-port.ts";
import { endedAtLast } from "./hooks.ts";

const SERVER = "/usr/sbin/apache2";
const MODULES = [
  ...["mpm_event", "authn_core", "authn_file", "authz_core", "authz_user", "auth_basic"],
  ...["dav", "dav_fs", "ssl", "socache_shmcb"],
];
const USER = "me";
const PASSWORD = "pass:word ß";

const open = endedAtLast<WebdavServer>();

/**
 * Debian's Apache with WebDAV on a free port of 127.0.0.1, with what it needs in a folder of its own; by TLS, unless a
 * proxy before it ends that.
 */
export class WebdavServer {
  readonly user = USER;
  readonly password = PASSWORD;
  readonly port: number;
  /** The authority that signed its certificate. */
  readonly ca: string;
  /** The folder that it serves. */
  readonly files: string;
  readonly #home: string;
  readonly #isPlain: boolean;
  #process: ChildProcess | undefined;

  private constructor(home: string, port: number, ca: string, isPlain: boolean) {
    this.#home = home;
    this.#isPlain = isPlain;
    this.files = join(home, "files");
    this.port = port;
    this.ca = ca;
  }

  static async start({ isPlain = false } = {}): Promise<WebdavServer> {
    needTools("apache2-bin");
    const home = mkdtempSync(join(tmpdir(), "tallydeck-webdav-"));
    const port = await freePort();
    const { cert, key, ca } = newCertificate();
    const server = new WebdavServer(home, port, ca, isPlain);
    open.add(server);
    // Started by root it becomes somebody else, who writes here.
    chmodSync(home, 0o755);
    for (const folder of ["files", "locks"]) mkdirSync(join(home, folder));
    for (const folder of ["files", "locks"]) chmodSync(join(home, folder), 0o777);
    writeFileSync(join(home, "cert.pem"), cert);
    writeFileSync(join(home, "key.pem"), key);
    const hash = createHash("sha1").update(PASSWORD).digest("base64");
    writeFileSync(join(home, "users"), `${USER}:{SHA}${hash}\n`);
    writeFileSync(join(home, "apache.conf"), server.#config());
    await server.#begin();
    return server;
  }

  /** The address of a folder; the one that it serves where it is empty. */
  url(folder = ""): string {
    return `https://localhost:${this.port}/${folder}`;
  }

  /** Ends the server and removes its folder. */
  async end(): Promise<void> {
    open.delete(this);
    await ended(this.#process, "SIGTERM");
    rmSync(this.#home, { recursive: true, force: true });
  }

  async #begin(): Promise<void> {
    const args = ["-D", "FOREGROUND", "-f", join(this.#home, "apache.conf")];
    this.#process = spawn(SERVER, args, { stdio: "ignore" });
    await answering(this.#process, this.port, 20);
  }

  #config(): string {
    const home = this.#home;
    return [
      `ServerRoot ${home}`,
      "ServerName localhost",
      `PidFile ${home}/pid`,
      `DefaultRuntimeDir ${home}`,
      `ErrorLog ${home}/log`,
      ...MODULES.map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`),
      ...(process.getuid?.() === 0 ? ["User nobody", "Group nogroup"] : []),
      `Listen 127.0.0.1:${this.port}`,
      "StartServers 1",
      "ThreadsPerChild 4",
      "MinSpareThreads 1",
      "MaxRequestWorkers 4",
      ...(this.#isPlain ? [] : ["SSLEngine on"]),
      `SSLCertificateFile ${home}/cert.pem`,
      `SSLCertificateKeyFile ${home}/key.pem`,
      `DavLockDB ${home}/locks/db`,
      `DocumentRoot ${this.files}`,
      `<Directory ${this.files}>`,
      "Dav On",
      "AuthType Basic",
      "AuthName files",
      `AuthUserFile ${home}/users`,
      "Require valid-user",
      "</Directory>",
      "",
    ].join("\n");
  }
}
