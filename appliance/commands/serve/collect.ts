import { COLLECTOR_PORT } from "../../base/ports.ts";
import { FLAG_OPTIONS } from "../../config.ts";
import { type Command, parseCommandLine, UsageError } from "../command.ts";
import { configFrom } from "../data.ts";
import { namedDatabase } from "../database.ts";

const help = `tallydeck collect: counts into a database that it shares with others, and stays until it is told to stop.

  --database-url URL
                   postgres://USER:PASSWORD@HOST:PORT/DATABASE (DATABASE_URL); with a password
                   better in the environment or the file
  --node-name NAME how it is called among those that count there (NODE_NAME, the host's name
                   and its port)
  --port N         the collector's port (PORT, ${COLLECTOR_PORT})
  --host ADDR      the collector's address, all interfaces unless given (HOST)
  --day-zone ZONE  the time zone whose midnight begins a day, where nobody has named one before
                   (DAY_ZONE)
  --detail-days N  how long it is kept what came together in a view, for filters (DETAIL_DAYS, 90);
                   0 for counts only
  --metrics-port N the port of /metrics in OpenMetrics (METRICS_PORT, none), on this machine only
                   unless --metrics-bind names an address (METRICS_BIND)
  --drain-seconds N
                   how long it goes on answering once it is told to stop (DRAIN_SECONDS, 5)
  --config FILE    a KEY=VALUE file with settings (CONFIG)

It keeps nothing on this machine and knows no deck and no Web UI: start as many as you like behind a
load balancer, which TRUSTED_PROXIES names. GET / answers 200 when it is to be sent visitors.
Sites and tokens come from the database, and from SITES, STATS_TOKEN, STATS_TOKEN_<ID> and
BADGE_SITES. A flag wins over the environment, that over the file.`;

const FLAGS = [
  "database-url",
  "node-name",
  "port",
  "host",
  "day-zone",
  "detail-days",
  "metrics-port",
  "metrics-bind",
  "drain-seconds",
] as const;
const OPTIONS = {
  ...Object.fromEntries(FLAGS.map((flag) => [flag, FLAG_OPTIONS[flag]])),
  config: { type: "string" },
} as const;

export const collect: Command = {
  help,
  async run(args, terminal) {
    const { values, positionals } = parseCommandLine(args, OPTIONS);
    if (positionals.length > 0)
      throw new UsageError(`\`tallydeck collect\` takes no ${positionals[0]}.`);
    // Neither port is opened here, even where a shared file sets it.
    const config = configFrom({ ...values, "webui-port": "0", "tls-port": "0" }, terminal);
    const { shown } = await namedDatabase(
      config,
      "`tallydeck collect` counts into a PostgreSQL database, where `tallydeck run` needs none",
    );
    const { collectUntilTold } = await import("./collecting.ts");
    await collectUntilTold(config, shown, terminal);
  },
};
