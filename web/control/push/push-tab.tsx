import { Channels } from "./channels.tsx";
import { AllowedOrigins } from "./origins.tsx";
import { Tokens } from "./tokens.tsx";

/** The senders that may push, the values that were pushed, and where keys may send. */
export function PushTab() {
  return (
    <div class="columns">
      <Channels />
      <Tokens />
      <AllowedOrigins />
    </div>
  );
}
