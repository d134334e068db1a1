import { originOf } from "../../../appliance/base/input/origin.ts";
import { Input, Problem } from "../parts.tsx";
import { useAction } from "../use-action.ts";
import { type AllowedOrigins, useOrigins } from "../use-origins.ts";

/** The origin of an address that its owner has not allowed yet; undefined where nothing is to be allowed, or not known. */
function lackingOrigin(url: string, { list }: AllowedOrigins): string | undefined {
  const origin = originOf(url);
  return origin === undefined || list === null || list.includes(origin) ? undefined : origin;
}

interface AllowOriginProps {
  url: string;
  origins: AllowedOrigins;
  onAllowed?: () => void;
}

/** Asks the owner to allow an origin, since requests to others are not sent. */
export function AllowOrigin({ url, origins, onAllowed }: AllowOriginProps) {
  const { busy, problem, run } = useAction();
  const origin = lackingOrigin(url, origins);
  if (origin === undefined) return null;
  const allow = async () => {
    if (await run(() => origins.allow(origin))) onAllowed?.();
  };
  return (
    <div class="notice">
      <p>
        Nothing may be sent to <code>{origin}</code> yet. Allow it if you trust it.{" "}
        <button type="button" disabled={busy} onClick={() => void allow()}>
          Allow {origin}
        </button>
      </p>
      <Problem text={problem} />
    </div>
  );
}

interface WebhookFieldProps {
  url: string | null;
  hint?: string;
  onText: (url: string | null) => void;
  /** Is called once it is typed, and its origin is allowed. */
  onSet?: (url: string | null) => void;
}

/** The address that gets a request, with the means to allow it. */
export function WebhookField({ url, hint, onText, onSet }: WebhookFieldProps) {
  const origins = useOrigins();
  const typed = url ?? "";
  return (
    <>
      <Input
        label="Webhook"
        hint={hint}
        type="url"
        spellcheck={false}
        placeholder="none"
        value={typed}
        onText={(text) => onText(text.trim() || null)}
        onSet={(text) => {
          if (lackingOrigin(text, origins) === undefined) onSet?.(text || null);
        }}
      />
      <AllowOrigin url={typed} origins={origins} onAllowed={() => onSet?.(url)} />
    </>
  );
}
