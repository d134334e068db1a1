import { Channels } from "./channels.tsx";
import { Tokens } from "./tokens.tsx";

/** Who may push, and what was pushed. */
export function PushTab() {
  return (
    <div class="columns">
      <Channels />
      <Tokens />
    </div>
  );
}
