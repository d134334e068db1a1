import { useState } from "preact/hooks";
import type { NewPushToken } from "../../../appliance/control/wire.ts";
import { baseUrl } from "../../shared/collector.ts";
import { Snippet } from "../../shared/copy-button.tsx";
import { isThisMachine } from "../addresses.ts";
import { ask } from "../api.ts";
import { useShell } from "../context.ts";
import { Choice, Problem } from "../parts.tsx";
import { useAction } from "../use-action.ts";
import { RECIPES } from "../view/view.ts";
import { recipe, TOKEN_PLACE } from "./recipes.ts";

/** Commands for sending to a channel from other programs, ready to paste. */
export function Recipes({ channel }: { channel: string }) {
  const { view, change } = useShell();
  const { busy, problem, run } = useAction();
  const [token, setToken] = useState(TOKEN_PLACE);
  const base = baseUrl(location.href);
  const text = recipe(view.recipe, { base, channel, token });
  const make = () =>
    run(async () => {
      const name = `for ${channel}`;
      setToken((await ask<NewPushToken>("POST", "api/push-tokens", { name })).token);
    });
  return (
    <section class="part recipe" aria-labelledby="recipes-title">
      <h3 id="recipes-title">Send from elsewhere</h3>
      <Choice
        legend="With"
        value={view.recipe}
        options={RECIPES}
        onChoose={(id) => change({ recipe: id })}
      />
      <Snippet text={text} label="what to paste" />
      {token === TOKEN_PLACE && (
        <div class="row">
          <button type="button" disabled={busy} onClick={make}>
            Put a new token in
          </button>
        </div>
      )}
      <Problem text={problem} />
      <p class={token === TOKEN_PLACE ? "hint" : "notice"} role="status">
        {token === TOKEN_PLACE
          ? `Write a push token of yours in place of ${TOKEN_PLACE}, or put a new one in.`
          : "A new token is in the text above. Copy it now: the token is not shown again."}
      </p>
      {isThisMachine(location.hostname) && (
        <p class="hint">
          This address is good on this machine only. To send from others, start the service with{" "}
          <code>--bind 0.0.0.0</code>.
        </p>
      )}
    </section>
  );
}
