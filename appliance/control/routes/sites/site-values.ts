import { jsonBody } from "../../../base/http/body.ts";
import { readRuleName, readValueRule } from "../../../base/input/value-rules.ts";
import { siteIdOf } from "../../../base/names.ts";
import { invalidField, Refusal } from "../../../base/refusal.ts";
import { MAX_VALUE_RULES } from "../../../base/text/dimensions.ts";
import type { Numbers, RuleOutcome } from "../../../store/store.ts";
import type { RoutesOf } from "../../route.ts";
import type { ValueRulesAnswer } from "../../wire.ts";
import { expectDone, type SitesParts, siteOf } from "./sites.ts";

type Parts = Pick<SitesParts, "numbers">;

export const VALUE_ROUTES: RoutesOf<Parts> = {
  "GET /api/sites/:id/values": async (ctx, { numbers }): Promise<ValueRulesAnswer> =>
    rulesOf(siteOf(ctx, numbers)),

  /** `{dimension, from, to}`: makes two values one → the rules, once all that is there is made one. */
  "POST /api/sites/:id/values/merge": async (ctx, { numbers }): Promise<ValueRulesAnswer> => {
    const id = siteIdOf(ctx.params.id);
    const rule = readValueRule(await jsonBody(ctx));
    expectRuled(await numbers.write("mergeValues", { id, rule }), id, numbers);
    await numbers.upkeep.anew();
    return rulesOf(siteOf(ctx, numbers));
  },

  /** `{dimension, from}`: what comes counts as it says again; what was made one stays. */
  "POST /api/sites/:id/values/forget": async (ctx, { numbers }): Promise<ValueRulesAnswer> => {
    const id = siteIdOf(ctx.params.id);
    const rule = readRuleName(await jsonBody(ctx));
    expectRuled(await numbers.write("forgetRule", { id, rule }), id, numbers);
    return rulesOf(siteOf(ctx, numbers));
  },
};

function rulesOf({ valueRules }: ReturnType<typeof siteOf>): ValueRulesAnswer {
  return { rules: valueRules?.rules ?? [] };
}

/** @throws {HttpError | Refusal} unless it is done */
function expectRuled(outcome: RuleOutcome, id: string, numbers: Numbers): void {
  if (outcome === "cycle")
    throw invalidField("to", "counts as the other one already. Forget that rule first.");
  if (outcome === "too_many_rules")
    throw new Refusal(
      "rule_limit",
      `${id} has ${MAX_VALUE_RULES} rules already. Forget one whose value comes no more.`,
    );
  if (outcome === "no_such_rule")
    throw new Refusal("not_found", `${id} has no such rule. List them to see all.`);
  expectDone(outcome, id, numbers);
}
