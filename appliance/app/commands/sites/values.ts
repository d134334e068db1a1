import { readRuleName, readValueRule } from "../../../base/input/value-rules.ts";
import { MAX_VALUE_RULES, type ValueRule } from "../../../base/text/dimensions.ts";
import type { RuleOutcome } from "../../../store/desk.ts";
import {
  CommandFailed,
  command,
  notUnderstood,
  outJson,
  switches,
  UsageError,
} from "../command.ts";
import { configFrom, DATA_OPTIONS, DATA_OPTIONS_HELP } from "../data.ts";
import { onSite } from "../others-data.ts";

export const valuesCommand = command({
  help: `tallydeck values: values of a site that came to two names, made one.

  tallydeck values merge SITE DIMENSION FROM TO   FROM counts as TO, from now on and as far back as there is any
  tallydeck values rules SITE                     lists what counts as another value
  tallydeck values forget SITE DIMENSION FROM     FROM counts as itself again; what was made one stays

  DIMENSION is path, host, ref, source, utm_source, utm_medium, utm_campaign, event or event_target.

  --json           lists the rules as JSON
${DATA_OPTIONS_HELP}

Values are as lists show them: \`tallydeck values merge blog path /old /new\`. Sums stay: a visitor who saw both pages on a day
counts twice. What was counted cannot be parted again. A running service makes it one within a minute, else the next start.`,
  options: { ...DATA_OPTIONS, ...switches("json") },
  async run({ values, positionals }, terminal) {
    const [action = "", id, dimension, from, to] = positionals;
    const isRight = { merge: 5, rules: 2, forget: 4 }[action] === positionals.length;
    if (!isRight) throw notUnderstood("values", positionals, ["merge", "rules", "forget"]);
    if (values.json && action !== "rules") throw new UsageError("--json is for the list of rules.");
    const config = configFrom(values, terminal);
    const at = { id, changes: action !== "rules" };
    await onSite(["values", ...positionals], at, { config, terminal }, async ({ desk, site }) => {
      if (action === "rules") {
        const { rules } = site.valueRules ?? { rules: [] };
        if (values.json) outJson(terminal, rules);
        else if (rules.length === 0) terminal.out("No value counts as another one.");
        else for (const rule of rules) terminal.out(lineOf(rule));
      } else if (action === "merge") {
        const rule = readValueRule({ dimension, from, to });
        expectDone(await desk.write("mergeValues", { id: site.id, rule }), site.id);
        terminal.out(`${lineOf(rule)} from now on. What was counted follows within a minute.`);
      } else {
        const rule = readRuleName({ dimension, from });
        expectDone(await desk.write("forgetRule", { id: site.id, rule }), site.id);
        terminal.out(`${rule.dimension} ${rule.from} counts as itself from now on.`);
      }
    });
  },
});

function lineOf({ dimension, from, to }: ValueRule): string {
  return `${dimension} ${from} counts as ${to}`;
}

/** @throws {CommandFailed} unless the change was made */
function expectDone(outcome: RuleOutcome, id: string): void {
  if (outcome === "done") return;
  if (outcome === "cycle")
    throw new CommandFailed(
      `The one counts as the other already. Forget that rule first: \`tallydeck values rules ${id}\` lists it.`,
    );
  if (outcome === "too_many_rules")
    throw new CommandFailed(
      `${id} has ${MAX_VALUE_RULES} rules already. Forget one whose value comes no more: \`tallydeck values rules ${id}\``,
    );
  throw new CommandFailed(`${id} has no such rule: \`tallydeck values rules ${id}\` lists them.`);
}
