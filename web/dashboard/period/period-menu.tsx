import { rangeName } from "../../shared/dates.ts";
import { Later } from "../later.tsx";
import { Menu, REST } from "../menu.tsx";
import { choiceName } from "./period.ts";
import type { PeriodProps } from "./period-panel.tsx";

/** The period as a button, with a menu that changes it. */
export function PeriodMenu(props: PeriodProps) {
  const { history, range, choice, onChoose } = props;
  const name = choiceName(choice, history);
  const days = rangeName(range.from, range.to);
  const label = (
    <>
      <span class="offscreen">Period: </span>
      <b>{name}</b> {name !== days && <span class="days">{days}</span>}
    </>
  );
  return (
    <Menu class="period" label={label}>
      {(close) => (
        <Later part={REST}>
          {({ PeriodPanel }) => (
            <PeriodPanel
              {...props}
              onChoose={(chosen) => {
                close();
                onChoose(chosen);
              }}
            />
          )}
        </Later>
      )}
    </Menu>
  );
}
