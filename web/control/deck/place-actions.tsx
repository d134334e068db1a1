import { useEffect } from "preact/hooks";
import { choicesOf } from "../../../appliance/base/input/deck-fields.ts";
import type { DeckView, PlaceView } from "../../../appliance/control/wire.ts";
import { slotPath } from "../addresses.ts";
import { ask } from "../api.ts";
import { Problem, Select } from "../parts.tsx";
import { useAction } from "../use-action.ts";
import { type AllowedOrigins, useOrigins } from "../use-origins.ts";
import { ActionFields } from "./fields/action-fields.tsx";
import { ACTION_WORDS, firstAction, lackOfAction } from "./fields/actions.ts";
import { idOf } from "./layout.ts";
import { SavingNote } from "./saving-note.tsx";
import { useActionDraft } from "./use-draft.ts";

const GESTURES = [
  { id: "press", name: "When pressed", touch: undefined },
  { id: "hold", name: "When held", touch: { hold: true } },
  { id: "turn", name: "When turned", touch: { turn: 1 } },
] as const;

type GestureRow = (typeof GESTURES)[number];

interface PlaceActionsProps {
  deck: DeckView;
  place: PlaceView;
  /** The channel the place is about; empty for none. */
  ownChannel: string;
}

/** The actions of a place when it is pressed, held or turned. */
export function PlaceActions(props: PlaceActionsProps) {
  const { place } = props;
  const origins = useOrigins();
  if (!place.canPress)
    return <p class="hint">There is no switch below it: it shows, and cannot be pressed.</p>;
  const possible = GESTURES.filter(
    ({ id }) =>
      id === "press" ||
      (id === "hold" && place.hasRelease) ||
      (id === "turn" && place.kind === "dial"),
  );
  return (
    <section class="part gestures" aria-label="What it does">
      {possible.map((gesture) => (
        <GestureAction key={gesture.id} {...props} gesture={gesture} origins={origins} />
      ))}
      {!place.hasRelease && (
        <p class="hint">This model does not tell when a finger goes, so nothing can be held.</p>
      )}
    </section>
  );
}

function GestureAction({
  gesture,
  deck,
  place,
  ownChannel,
  origins,
}: PlaceActionsProps & { gesture: GestureRow; origins: AllowedOrigins }) {
  const { busy, problem, run } = useAction();
  const [action, edit, saving, onLeave] = useActionDraft(deck, place, gesture.id, (draft) =>
    lackOfAction(draft, origins.list),
  );
  // An action is sent once its address was allowed.
  useEffect(() => {
    if (saving.state === "lacking") edit(action);
  }, [origins.list]);
  return (
    <div class="gesture" onFocusOut={onLeave}>
      <Select
        label={gesture.name}
        hint={action && ACTION_WORDS[action.do].about}
        value={action?.do ?? ""}
        options={[{ id: "", name: "Nothing" }, ...choicesOf(ACTION_WORDS)]}
        onChoose={(kind) => edit(kind === "" ? undefined : firstAction(kind, ownChannel))}
      />
      {action !== undefined && (
        <>
          <ActionFields
            key={action.do}
            action={action}
            deck={deck}
            ownChannel={ownChannel}
            origins={origins}
            onEdit={edit}
          />
          <div class="row">
            <button
              type="button"
              title="As a finger would"
              aria-label={`Try it: ${gesture.name.toLowerCase()}`}
              disabled={busy || saving.state !== "saved"}
              onClick={() =>
                run(() => ask("POST", slotPath(deck.id, idOf(place), "/press"), gesture.touch))
              }
            >
              Try it
            </button>
            <SavingNote saving={saving} />
          </div>
          <Problem text={problem} />
        </>
      )}
    </div>
  );
}
