import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { type Finding, find, type Setup } from "./checks.ts";

interface CheckCardProps {
  title: string;
  button: string;
  setup: Setup;
  /** a sentence about missing input; empty when the check can run */
  missing: string;
  check: (setup: Setup) => Promise<Finding>;
  children: ComponentChildren;
}

export function CheckCard({ title, button, setup, missing, check, children }: CheckCardProps) {
  const [finding, setFinding] = useState<Finding | null>(null);
  const [busy, setBusy] = useState(false);
  const run = async () => {
    if (missing !== "") {
      setFinding({ isGood: false, text: missing });
      return;
    }
    setBusy(true);
    setFinding(await find(check, setup));
    setBusy(false);
  };
  const mark = finding === null ? "" : finding.isGood ? "good" : "bad";
  return (
    <li class={`card check-card ${mark}`}>
      <h3>{title}</h3>
      <div class="explained">{children}</div>
      <button type="button" disabled={busy} onClick={run}>
        {busy ? "Checking…" : button}
      </button>
      <div class="finding" role="status">
        {finding !== null && (
          <>
            <p>
              <strong>
                <span aria-hidden="true">{finding.isGood ? "✓" : "✗"}</span>{" "}
                <span class="offscreen">{finding.isGood ? "Passed." : "Failed."}</span>
                {finding.text}
              </strong>
            </p>
            {finding.advice !== undefined && <p>{finding.advice}</p>}
          </>
        )}
      </div>
    </li>
  );
}
