import { COLLECTOR_PORT, CONTROL_PORT } from "../../base/ports.ts";
import { FLAG_OPTIONS } from "../../config.ts";
import { type Command, parseCommandLine, UsageError } from "../command.ts";
import { configFrom, DATA_OPTIONS } from "../data.ts";
import { databaseOf } from "../database.ts";

const help = `tallydeck run: starts the service and stays until it is told to stop.

  --port N         the collector's port (PORT, ${COLLECTOR_PORT})
  --host ADDR      the collector's address, all interfaces unless given (HOST)
  --webui-port N   the Web UI's port (WEBUI_PORT, ${CONTROL_PORT})
  --bind ADDR      the Web UI's address (BIND, 127.0.0.1)
  --data-dir DIR   where the data is (DATA_DIR)
  --config FILE    a KEY=VALUE file with settings (CONFIG)
  --database-url URL
                   a PostgreSQL database for the numbers (DATABASE_URL): with a password better in
                   the environment or the file; --node-name says who counts there (NODE_NAME)
  --day-zone ZONE  the time zone whose midnight begins a day, like Europe/Zurich (DAY_ZONE, UTC in new
                   data, else as before); a change holds from the next midnight there on
  --detail-days N  how long it is kept what came together in a view, for filters (DETAIL_DAYS, 90);
                   0 for counts only
  --metrics-port N the port of /metrics in OpenMetrics (METRICS_PORT, none), on this machine only
                   unless --metrics-bind names an address (METRICS_BIND)
  --virtual-deck MODEL
                   a deck that exists only in the Web UI; may be given several times
                   (VIRTUAL_DECK); \`tallydeck devices --models\` lists the models
  --mqtt-url URL   the broker of a home automation (MQTT_URL); with --mqtt-user, --mqtt-prefix,
                   --mqtt-discovery, --mqtt-version and --mqtt-ca, and MQTT_PASSWORD in the
                   environment or the file
  --tls-port N     the port where the collector answers https:// (TLS_PORT, none)
  --public-name NAME
                   the name by which the internet reaches it (PUBLIC_NAME); with --acme-agree,
                   --acme-directory, --acme-ca, --ddns, --ddns-user, --open-port and
                   --public-dashboard, and DDNS_TOKEN in the environment or the file
  --backup-dir DIR a folder for nightly backups (BACKUP_DIR)
  --demo           made-up data of two sites, gone when the service stops (DEMO)
  --admin-open     nobody has to sign in to the Web UI, wherever it is bound (ADMIN_OPEN)

On a --bind address that others reach, the Web UI asks for the admin token or the setup code, and
answers to IP addresses, this machine's names and ALLOWED_HOSTS.
Sites and tokens come from SITES, STATS_TOKEN, STATS_TOKEN_<ID> and BADGE_SITES, or from
\`tallydeck sites\` and \`tallydeck tokens\`. A flag wins over the environment, that over the file.`;

export const run: Command = {
  help,
  async run(args, terminal) {
    const { "drain-seconds": _collectors, ...flags } = FLAG_OPTIONS;
    const { values, positionals } = parseCommandLine(args, { ...flags, ...DATA_OPTIONS });
    if (positionals.length > 0)
      throw new UsageError(`\`tallydeck run\` takes no ${positionals[0]}.`);
    const config = configFrom(values, terminal);
    if (config.demo && values["data-dir"] !== undefined)
      throw new UsageError(
        "--demo keeps made-up data in a folder of its own, which goes when it stops: leave out --data-dir, or --demo.",
      );
    const database = await databaseOf(config);
    if (config.demo && config.databaseUrl !== undefined)
      throw new UsageError(
        "--demo shows made-up data, which belongs in no database that others share: leave out DATABASE_URL, or --demo.",
      );
    // Loading the service takes ten times as long as reading its configuration.
    const { threadsOfStart } = await import("../../store/desk.ts");
    const threads = threadsOfStart();
    const { serve } = await import("./serve.ts");
    await serve(config, database, terminal, threads);
  },
};
