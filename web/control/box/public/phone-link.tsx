import { useState } from "preact/hooks";
import type { PhoneLinkAnswer } from "../../../../appliance/control/wire.ts";
import { Snippet } from "../../../shared/copy-button.tsx";
import { Dialog } from "../../../shared/dialog.tsx";
import { ask } from "../../api.ts";
import { Problem } from "../../parts.tsx";
import { QrCode } from "../../qr-code.tsx";
import { useAction } from "../../use-action.ts";

/** Lets a phone outside of the own network prove that the box is reached. */
export function PhoneLink({ reachedAt }: { reachedAt: number | null }) {
  const { busy, problem, run } = useAction();
  const [link, setLink] = useState<PhoneLinkAnswer | null>(null);
  /** The time of the last sign-in by a link before this one was created. */
  const [before, setBefore] = useState<number | null>(null);
  const make = () =>
    run(async () => {
      setBefore(reachedAt);
      setLink(await ask<PhoneLinkAnswer>("POST", "api/public/phone"));
    });
  return (
    <>
      <button type="button" disabled={busy} onClick={make}>
        Tell it from your phone
      </button>
      <Problem text={problem} />
      {link !== null && (
        <Dialog title="Tell it from your phone" onClose={() => setLink(null)}>
          <div class="stack">
            <p>
              Switch the phone’s Wi-Fi off, then open this address with its camera. The page says
              whether the machine is reached. The link works once, for ten minutes.
            </p>
            <QrCode rows={link.code} of="the address" />
            <Snippet text={link.url} label="the address" />
            <p role="status">
              {reachedAt !== null && reachedAt !== before
                ? "Reached: somebody came in from outside just now."
                : ""}
            </p>
          </div>
        </Dialog>
      )}
    </>
  );
}
