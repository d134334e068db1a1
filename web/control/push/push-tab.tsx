import { Channels } from "./channels.tsx";
import { AllowedOrigins } from "./origins.tsx";
import { Tokens } from "./tokens.tsx";

/** Who may push, what was pushed, and where keys may send. */
export function PushTab() {
  return (
    <div class="columns">
      <Channels />
      <Tokens />
      <AllowedOrigins />
    </div>
  );
}
