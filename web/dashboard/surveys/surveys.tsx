import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { formatDay, parseDay } from "../../../appliance/base/calendar.ts";
import type { SurveysAnswer, SurveyVersions } from "../../../appliance/traffic/collector/wire.ts";
import { longDay, rangeName } from "../../shared/dates.ts";
import { counted, NO_FIGURE, signed, whole } from "../../shared/format.ts";
import { Chooser } from "../controls.tsx";
import { exportName } from "../traffic/csv.ts";
import type { Shown } from "../traffic/shown.ts";
import { useReading } from "../use-reading.ts";
import { CROSS_KEYS } from "../view.ts";
import { CrossCard } from "./cross-card.tsx";
import {
  CROSS_NAMES,
  FEW,
  partText,
  questionsOf,
  type SurveyQuestion,
  versionInUse,
} from "./survey-model.ts";
import { useExport } from "./use-export.ts";

type SurveysProps = Pick<Shown, "history" | "range" | "view" | "token" | "change">;

/** The surveys of an app, or the way to the first one. */
export function Surveys(props: SurveysProps) {
  return props.history.hasSurveys ? <Answers {...props} /> : <None site={props.history.site} />;
}

function None({ site }: { site: string }) {
  return (
    <section class="card empty" aria-labelledby="empty-title">
      <h2 id="empty-title">No survey response came for {site} yet</h2>
      <p>
        An app asks its users a few questions, and sends each response to <code>POST /s</code> of
        this machine. The first one shows here by itself: scores, answers by system or version, and
        comments.
      </p>
      <p class="actions">
        <a class="button primary" href="docs/collector-api#post-s-a-survey-response">
          How to send one
        </a>
      </p>
    </section>
  );
}

/** Answers are not part of the history, so each choice here requests a summary. */
function Answers({ history, range, view, token, change }: SurveysProps) {
  const [round, setRound] = useState(0);
  const { site } = history;
  // Surveys outlive the counters, so all of them means without dates.
  const days =
    view.choice.period === "all" ? {} : { from: formatDay(range.from), to: formatDay(range.to) };
  const known = useReading<SurveyVersions>("surveys/versions", { site }, token, round);
  const versions = known.answer?.site === site ? known.answer : null;
  const sv = view.sv ?? (versions && versionInUse(versions.versions));
  const asked = sv === null ? null : { site, sv, ...days };
  const read = useReading<SurveysAnswer>(
    "surveys",
    asked && { ...asked, cross: view.cross },
    token,
    round,
  );
  const survey = read.answer?.site === site ? read.answer : null;
  const busy = known.busy || read.busy;
  const exporting = useExport(
    asked ?? {},
    token,
    `${exportName({ site, only: null, where: [] }, range)}_survey-${sv}.json`,
  );
  const questions = survey ? questionsOf(survey, versions?.labels) : [];
  const problems = new Set([known.problem, read.problem, exporting.problem].filter(Boolean));
  return (
    <section class="surveys" aria-label="Surveys" aria-busy={busy}>
      <SurveyControls versions={versions?.versions ?? []} sv={sv} view={view} change={change}>
        <button
          type="button"
          disabled={exporting.done !== null || !survey || survey.total === 0}
          onClick={exporting.start}
        >
          Export JSON
        </button>
        {exporting.done !== null && (
          <span role="status" class="progress">
            <progress max={survey?.total ?? 1} value={exporting.done} aria-label="Export" />
            {whole(exporting.done)} of {whole(survey?.total ?? 0)}
          </span>
        )}
      </SurveyControls>
      {[...problems].map((text) => (
        <p class="notice bad" role="alert" key={text}>
          {text}{" "}
          <button type="button" onClick={() => setRound(round + 1)}>
            Try again
          </button>
        </p>
      ))}
      {!survey && busy && problems.size === 0 && <p role="status">Reading the answers…</p>}
      {survey?.total === 0 && (
        <p class="hint">
          No answers to version {survey.sv}
          {view.choice.period === "all" ? "" : ` from ${rangeName(range.from, range.to)}`}. Choose
          another version or more days; apps send answers to <code>POST /s</code>.
        </p>
      )}
      {survey && survey.total > 0 && (
        <>
          <Summary survey={survey} />
          <CrossCard survey={survey} questions={questions} view={view} change={change} />
          <div class="answers">
            <h2>Answers</h2>
            <p class="hint">
              Shares are of all responses. Questions may be skipped, or take several answers.
            </p>
            <div>
              {questions.map((question) => (
                <QuestionCard key={question.id} question={question} total={survey.total} />
              ))}
            </div>
          </div>
          <Comments comments={survey.comments} />
        </>
      )}
    </section>
  );
}

interface SurveyControlsProps extends Pick<Shown, "view" | "change"> {
  versions: SurveyVersions["versions"];
  /** the shown version; null while it is unknown */
  sv: number | null;
  children: ComponentChildren;
}

function SurveyControls({ versions, sv, view, change, children }: SurveyControlsProps) {
  const isListed = sv === null || versions.some((one) => one.sv === sv);
  const listed = isListed ? versions : [...versions, { sv, total: 0 }].sort((a, b) => b.sv - a.sv);
  return (
    <div class="controls">
      <Chooser
        label="Survey version"
        value={sv ?? ""}
        options={listed.map((one) => [one.sv, `${one.sv} (${counted(one.total, "response")})`])}
        onChoose={(chosen) => change({ sv: chosen, question: "" })}
      />
      <Chooser
        label="Group by"
        value={view.cross}
        options={CROSS_KEYS.map((key) => [key, CROSS_NAMES[key]])}
        onChoose={(cross) => change({ cross })}
      />
      <span class="spacer" />
      {children}
    </div>
  );
}

function Summary({ survey }: { survey: SurveysAnswer }) {
  const { total, short, nps } = survey;
  const passives = nps.answered - nps.promoters - nps.detractors;
  const parts: [string, string, number][] = [
    ["detractors", "Detractors (0–6)", nps.detractors],
    ["passives", "Passives (7–8)", passives],
    ["promoters", "Promoters (9–10)", nps.promoters],
  ];
  return (
    <section class="tiles of-surveys" aria-label="Survey figures">
      <div class="tile">
        <span class="name">Responses</span>
        <span class="figure">{whole(total)}</span>
        <span class="delta">
          {whole(total - short)} full, {whole(short)} short
        </span>
      </div>
      <div class="tile">
        <span class="name">Net promoter score</span>
        <span class="figure">{nps.score === null ? NO_FIGURE : signed(nps.score)}</span>
        <span class="delta">{counted(nps.answered, "answer")}</span>
        {nps.answered > 0 && (
          <div class="nps" aria-hidden="true">
            {parts.map(([key, , count]) => (
              <i key={key} class={key} style={{ flexGrow: count }} />
            ))}
          </div>
        )}
        <ul class="nps-parts">
          {parts.map(([key, name, count]) => (
            <li key={key} class={key}>
              {name} <b>{whole(count)}</b>
            </li>
          ))}
        </ul>
      </div>
    </section>
  );
}

function QuestionCard({ question, total }: { question: SurveyQuestion; total: number }) {
  const titleId = `question-${question.id}`;
  const most = Math.max(...question.options.map(({ share }) => share)) || 1;
  return (
    <section class="card dimension" aria-labelledby={titleId}>
      <header>
        <h3 id={titleId} title={question.id} dir="auto">
          {question.name}
        </h3>
        <span class="total">{counted(question.answers, "answer")}</span>
      </header>
      <div class="rows">
        <table>
          <thead class="offscreen">
            <tr>
              <th scope="col">Option</th>
              <th scope="col">Count</th>
              <th scope="col">Share</th>
            </tr>
          </thead>
          <tbody>
            {question.options.map(({ option, name, count, share }) => (
              <tr key={option} style={{ "--bar": share / most }}>
                <th scope="row">
                  <span class="value" title={option} dir="auto">
                    {name}
                  </span>
                </th>
                <td class="count">{whole(count)}</td>
                <td class={total < FEW ? "share few" : "share"}>{partText(count, total)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

const FIRST_COMMENTS = 20;

function Comments({ comments }: { comments: SurveysAnswer["comments"] }) {
  const [isOpen, setOpen] = useState(false);
  if (comments.length === 0) return null;
  const shown = isOpen ? comments : comments.slice(0, FIRST_COMMENTS);
  return (
    <section class="card comments" aria-labelledby="comments-title">
      <header>
        <h2 id="comments-title">Comments</h2>
        <span class="total">{whole(comments.length)}</span>
      </header>
      <ul>
        {shown.map(({ day, c }, i) => (
          <li key={i}>
            <time dateTime={day}>{longDay(parseDay(day) ?? 0)}</time>
            <p>
              <bdi>{c}</bdi>
            </p>
          </li>
        ))}
      </ul>
      {comments.length > FIRST_COMMENTS && (
        <button
          type="button"
          class="quiet more"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          {isOpen ? `Show newest ${FIRST_COMMENTS}` : `Show all ${whole(comments.length)}`}
        </button>
      )}
    </section>
  );
}
