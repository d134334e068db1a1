import { FLAG_OPTIONS } from "../../../config/config.ts";
import { flagsHelp } from "../../../config/help.ts";
import { command, valued } from "../command.ts";
import { configFrom, namedDatabase } from "../data.ts";

const FLAGS: readonly string[] = [
  "database-url",
  "node-name",
  "port",
  "host",
  "day-zone",
  "detail-days",
  "metrics-port",
  "metrics-bind",
  "drain-seconds",
];

export const collect = command({
  alone: "collect",
  help: `tallydeck collect: counts into a database that it shares with others, and stays until it is told to stop.

  --config FILE    a KEY=VALUE file with settings (CONFIG)
${flagsHelp((flag) => FLAGS.includes(flag))}

It keeps nothing on this machine and knows no deck and no Web UI: start as many as you like behind a
load balancer, which TRUSTED_PROXIES names. GET / answers 200 when it is to be sent visitors.
Sites and tokens come from the database, and from SITES, STATS_TOKEN, STATS_TOKEN_<ID> and
BADGE_SITES. A flag wins over the environment, that over the file.`,
  options: {
    ...Object.fromEntries(FLAGS.map((flag) => [flag, FLAG_OPTIONS[flag]])),
    ...valued("config"),
  },
  async run({ values }, terminal) {
    // Neither port is opened here, even where a shared file sets it.
    const config = configFrom({ ...values, "webui-port": "0", "tls-port": "0" }, terminal);
    const { shown } = await namedDatabase(
      config,
      "`tallydeck collect` counts into a PostgreSQL database, where `tallydeck run` needs none",
    );
    const { collectUntilTold } = await import("./collecting.ts");
    await collectUntilTold(config, shown, terminal);
  },
});
