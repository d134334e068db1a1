import { readFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";

const GIF = Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64");

const answer: RequestListener = (_request, response) => {
  response.writeHead(200, {
    "Content-Type": "image/gif",
    "Cache-Control": "no-store",
    "Cross-Origin-Resource-Policy": "cross-origin",
    "Content-Length": GIF.length,
  });
  response.end(GIF);
};
/** Serves by TLS when it gets the files of a certificate and its key. */
const [cert, key] = process.argv.slice(2).map((file) => readFileSync(file));
const server =
  cert && key ? createTlsServer({ cert, key, noDelay: true }, answer) : createServer(answer);
server.listen(0, () => console.log(`port ${(server.address() as AddressInfo).port}`));
process.once("SIGTERM", () => process.exit());
