import { FLAG_OPTIONS } from "../../../config/config.ts";
import { flagsHelp } from "../../../config/help.ts";
import { command, UsageError } from "../command.ts";
import { configFrom, DATA_OPTIONS, databaseOf } from "../data.ts";

/** Flags of collectors alone, and of a machine that installs releases by itself. */
const OF_OTHERS = ["drain-seconds", "updates", "update-url", "update-key"];

const { "drain-seconds": _collectors, ...flags } = FLAG_OPTIONS;

export const run = command({
  alone: "run",
  help: `tallydeck run: starts the service and stays until it is told to stop.

  --config FILE    a KEY=VALUE file with settings (CONFIG)
${flagsHelp((flag) => !OF_OTHERS.includes(flag))}

On a --bind address that others reach, the Web UI asks for the admin token or the setup code, and
answers to IP addresses, this machine's names and ALLOWED_HOSTS.
Sites and tokens come from SITES, STATS_TOKEN, STATS_TOKEN_<ID> and BADGE_SITES, or from
\`tallydeck sites\` and \`tallydeck tokens\`. \`tallydeck devices --models\` lists the models of decks.
Passwords belong in the environment or the file: MQTT_PASSWORD, DDNS_TOKEN. A flag wins over the
environment, that over the file.`,
  options: { ...flags, ...DATA_OPTIONS },
  async run({ values }, terminal) {
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
    const { serve } = await import("./serve.ts");
    await serve(config, database, terminal);
  },
});
