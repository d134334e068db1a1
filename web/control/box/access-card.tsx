import { ask } from "../api.ts";
import { useShell } from "../context.ts";
import { Card, Problem } from "../parts.tsx";
import { useAction } from "../use-action.ts";
import { AdminToken } from "./admin-token.tsx";

/** The token of the owner, and the end of this session. */
export function AccessCard() {
  const { actions } = useShell();
  const { busy, problem, run } = useAction(actions.reload);
  return (
    <Card id="access" title="Access" help="security">
      <p class="hint">
        The admin token signs in here and reads every site's dashboard. A new one takes the place of
        the one there is.
      </p>
      <AdminToken button="Make a new admin token…">
        <button
          type="button"
          disabled={busy}
          onClick={() => run(() => ask("DELETE", "api/session"))}
        >
          Sign out
        </button>
      </AdminToken>
      <Problem text={problem} />
    </Card>
  );
}
