import type { SurveysAnswer } from "../../../appliance/traffic/collector/wire.ts";
import { counted, whole } from "../../shared/format.ts";
import { Help } from "../../shared/help.tsx";
import { Chooser } from "../controls.tsx";
import type { Shown } from "../traffic/shown.ts";
import { CROSS_NAMES, crossTable, FEW, partText, type SurveyQuestion } from "./survey-model.ts";

interface CrossCardProps extends Pick<Shown, "view" | "change"> {
  survey: SurveysAnswer;
  questions: SurveyQuestion[];
}

/** A table of one question by one grouping. */
export function CrossCard({ survey, questions, view, change }: CrossCardProps) {
  const question = questions.find(({ id }) => id === view.question) ?? questions[0];
  if (!question) return null;
  const table = crossTable(survey, question);
  return (
    <section class="card cross" aria-labelledby="cross-title">
      <header>
        <h2 id="cross-title">By {CROSS_NAMES[survey.cross].toLowerCase()}</h2>
        <Help of="dashboard#surveys" about="Surveys" />
        <Chooser
          label="Question"
          value={question.id}
          options={questions.map(({ id, name }) => [id, name])}
          onChoose={(chosen) => change({ question: chosen })}
        />
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by key */}
      <div class="scroll" tabIndex={0}>
        <table class="figures">
          <thead>
            <tr>
              <th scope="col">Option</th>
              {table.groups.map(({ name, total }) => (
                <th scope="col" key={name}>
                  <bdi>{name}</bdi> <small>{counted(total, "response")}</small>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {table.rows.map(({ option, name, cells }) => (
              <tr key={option}>
                <th scope="row" dir="auto">
                  {name}
                </th>
                {cells.map(({ count, share }, i) => {
                  const group = table.groups[i];
                  const all = group?.total ?? 0;
                  return (
                    <td key={group?.name} class="heated" style={{ "--heat": share }}>
                      {whole(count)}{" "}
                      <small class={all < FEW ? "part few" : "part"}>{partText(count, all)}</small>
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {survey.cross === "dv" && (
        <p class="hint">
          Someone with several models is counted in the group of each, so the groups add up to more
          than the responses.
        </p>
      )}
    </section>
  );
}
