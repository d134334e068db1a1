import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const GIF = Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64");

const server = createServer((_request, response) => {
  response.writeHead(200, {
    "Content-Type": "image/gif",
    "Cache-Control": "no-store",
    "Cross-Origin-Resource-Policy": "cross-origin",
    "Content-Length": GIF.length,
  });
  response.end(GIF);
});
server.listen(0, () => console.log(`port ${(server.address() as AddressInfo).port}`));
process.once("SIGTERM", () => process.exit());
