import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { needTools } from "../../scripts/tools.ts";

/** Puts into a folder what a TLS server of these names needs: `ca.pem`, `server.pem`, `server.key`. */
export function makeCertificates(folder: string, names = "DNS:localhost"): void {
  needTools("openssl");
  const openssl = (...args: string[]) =>
    execFileSync("openssl", args, { cwd: folder, stdio: ["ignore", "ignore", "ignore"] });
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  openssl("req", "-x509", ...key, "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=Test CA");
  openssl("req", ...key, "-keyout", "server.key", "-out", "server.csr", "-subj", "/CN=localhost");
  writeFileSync(join(folder, "names"), `subjectAltName=${names}\n`);
  const signer = ["-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-extfile", "names"];
  openssl("x509", "-req", "-in", "server.csr", "-out", "server.pem", ...signer);
}

interface Pair {
  readonly cert: string;
  readonly key: string;
  /** The authority that signed it. */
  readonly ca: string;
}

/** Another certificate for `localhost` each time, as PEM. */
export function newCertificate(): Pair {
  const folder = mkdtempSync(join(tmpdir(), "tallydeck-test-"));
  try {
    makeCertificates(folder);
    const read = (file: string) => readFileSync(join(folder, file), "utf8");
    return { cert: read("server.pem"), key: read("server.key"), ca: read("ca.pem") };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The text of a certificate between its BEGIN and END, in one line. */
export function inOneLine(pemFile: string): string {
  return readFileSync(pemFile, "utf8").replace(/-----[A-Z ]+-----|\n/g, "");
}
