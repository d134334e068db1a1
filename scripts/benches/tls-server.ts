import { readFileSync } from "node:fs";
import { startService } from "../../appliance/app/service/service.ts";
import { silentLog } from "../../appliance/base/log.ts";
import { Signal } from "../../appliance/base/signal.ts";
import { SystemClock } from "../../appliance/base/system/system-clock.ts";
import { readConfig } from "../../appliance/config/config.ts";
import { PublicDoor } from "../../appliance/control/public-door.ts";

/** The service at a public name that it has got already: `tls-server.ts DATA_DIR CERT KEY`. */
const [dataDir = "", cert = "", key = ""] = process.argv.slice(2);
const clock = new SystemClock();
const door = new PublicDoor({ clock });
const config = readConfig({
  flags: { PORT: "0", WEBUI_PORT: "0", DATA_DIR: dataDir },
  env: process.env,
});
const service = await startService({
  config: { ...config, tlsPort: 0 },
  clock,
  log: silentLog(),
  door,
});
// The service has reported its own address before.
door.follow(
  {
    changed: new Signal(),
    certificateChanged: new Signal(),
    certificate: { cert: readFileSync(cert, "utf8"), key: readFileSync(key, "utf8") },
    settings: { name: "localhost", dashboard: false },
    view: () => ({ live: true, url: "https://localhost" }),
    reached: () => {},
  },
  { use: () => false },
);
console.log(`port ${service.collectorTls?.port}`);
process.once("SIGTERM", () => void service.close());
