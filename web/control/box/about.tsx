import { useState } from "preact/hooks";
import { dayOf, formatDay } from "../../../appliance/base/calendar.ts";
import { oldReleaseText } from "../../../appliance/base/text/release-age.ts";
import type { BoxAnswer, PrivacyAnswer } from "../../../appliance/control/wire.ts";
import { Snippet } from "../../shared/copy-button.tsx";
import { ask } from "../api.ts";
import { AnswerCard, Card, Fact, Problem } from "../parts.tsx";
import { useAction } from "../use-action.ts";
import { clockText } from "./box-words.ts";
import { saveFile } from "./files.tsx";

interface StatusProps {
  status: BoxAnswer | undefined;
}

/** The version of what runs here, and its terms. */
export function VersionCard({ status }: StatusProps) {
  return (
    <AnswerCard id="version" title="Tallydeck" answer={status}>
      {({ version, made, clockSet, time }) => {
        const old = clockSet ? oldReleaseText(made, time) : undefined;
        return (
          <>
            <dl class="facts">
              <Fact name="Version">
                {version} of {formatDay(dayOf(made))}
              </Fact>
              <Fact name="Terms">
                <span>
                  <a href="docs/licenses">Licenses</a> of all that is in it
                </span>
              </Fact>
              <Fact name="Manual">
                <a href="docs/index">All pages of the documentation</a>
              </Fact>
            </dl>
            {old !== undefined && <p class="hint">{old}</p>}
          </>
        );
      }}
    </AnswerCard>
  );
}

/** A text for the owner's privacy page. */
export function PrivacyCard() {
  const { busy, problem, run } = useAction();
  const [text, setText] = useState("");
  const show = () =>
    run(async () => setText((await ask<PrivacyAnswer>("GET", "api/privacy")).text));
  return (
    <Card id="privacy" title="Privacy" help="privacy">
      <p class="hint">
        A text for your privacy page, by the settings of this machine: what is kept of a visit, and
        for how long. Put in what stands in CAPITALS, and leave out what you do not use. This is no
        legal advice.
      </p>
      <div class="row">
        <button type="button" disabled={busy} onClick={show}>
          Show the text
        </button>
      </div>
      <Problem text={problem} />
      {text !== "" && <Snippet text={text} label="the text" />}
    </Card>
  );
}

/** A file to send along with a question. */
export function DiagnosticsCard({ status }: StatusProps) {
  const { busy, problem, run } = useAction();
  const keptAt = status?.logKeptAt ?? null;
  const save = () => run(() => saveFile("api/diagnostics", "tallydeck-diagnostics.json"));
  return (
    <Card id="diagnostics" title="Diagnostics" help="troubleshooting">
      <p class="hint">
        Versions, devices, storage and recent errors, to send along with a question. No token, no
        address and nothing about visitors is in it.
      </p>
      {keptAt !== null && (
        <p class="hint">
          The log is that of the box before it failed last,{" "}
          {clockText(keptAt, status?.timeZone ?? "UTC")}. Look through it before you send it: it has
          names of this machine and its devices.
        </p>
      )}
      <div class="row">
        <button type="button" disabled={busy} onClick={save}>
          Download diagnostics
        </button>
        {keptAt !== null && (
          <a class="button" href="api/log" download="tallydeck-log.txt">
            Download log
          </a>
        )}
      </div>
      <Problem text={problem} />
    </Card>
  );
}
