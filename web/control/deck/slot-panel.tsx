import { choicesOf } from "../../../appliance/base/input/deck-fields.ts";
import { isChannelName } from "../../../appliance/base/names.ts";
import { placeName } from "../../../appliance/base/text/place-name.ts";
import type { DeckView, SlotView } from "../../../appliance/control/wire.ts";
import { slotPath } from "../addresses.ts";
import { ask } from "../api.ts";
import { useShell } from "../context.ts";
import { CardTitle, Check, Problem, Select } from "../parts.tsx";
import { Recipes } from "../push/recipes.tsx";
import { TestValue } from "../push/test-value.tsx";
import { useAction } from "../use-action.ts";
import { SlotImage } from "./deck-picture.tsx";
import { WidgetFields } from "./fields/widget-fields.tsx";
import { WIDGET_WORDS, widgetOf } from "./fields/widgets.ts";
import { PlaceActions } from "./place-actions.tsx";
import { SavingNote } from "./saving-note.tsx";
import { useDraft } from "./use-draft.ts";

export function SlotPanel({ deck, slot }: { deck: DeckView; slot: SlotView }) {
  const { box, actions, change } = useShell();
  const [draft, edit, saving, onLeave] = useDraft(deck, slot);
  const { busy, problem, run } = useAction();
  const isFixed = deck.fixed[slot.slot] !== undefined;
  const fix = (onAll: boolean) =>
    run(async () => {
      const place = onAll ? "?fixed=1" : `?page=${deck.page}`;
      await ask("PUT", slotPath(deck.id, slot.slot, place), { widget: slot.widget });
      await actions.reload();
    });
  return (
    <section class="card panel" aria-labelledby="slot-title" onFocusOut={onLeave}>
      <header class="slot-head">
        <SlotImage deck={deck.id} slot={slot} />
        <div>
          <CardTitle id="slot-title" help="deck">
            {placeName(slot.slot)}
          </CardTitle>
          <p class="hint">
            {slot.width} × {slot.height} pixels
          </p>
          <SavingNote saving={saving} />
        </div>
        <span class="spacer" />
        {slot.canPress && (
          <button
            type="button"
            title="As a finger would"
            onClick={() => run(() => ask("POST", slotPath(deck.id, slot.slot, "/press")))}
          >
            Press
          </button>
        )}
        <button
          type="button"
          class="quiet"
          aria-label={`Close ${placeName(slot.slot)}`}
          onClick={() => change({ slot: "" })}
        >
          ✕
        </button>
      </header>
      <Problem text={problem} />
      {(deck.pages.length > 1 || isFixed) && (
        <Check name="On all pages" isOn={isFixed} disabled={busy} onSet={fix} />
      )}
      <Select
        label="Shows"
        hint={WIDGET_WORDS[draft.type].about}
        value={draft.type}
        options={choicesOf(WIDGET_WORDS)}
        onChoose={(type) => edit(widgetOf(type, draft, box.sites[0]?.id ?? ""))}
      />
      <WidgetFields widget={draft} onEdit={edit} />
      <PlaceActions
        deck={deck}
        place={slot}
        ownChannel={"channel" in draft && isChannelName(draft.channel) ? draft.channel : ""}
      />
      {draft.type === "push" && isChannelName(draft.channel) && (
        <>
          <TestValue key={draft.channel} channel={draft.channel} />
          <Recipes channel={draft.channel} />
        </>
      )}
    </section>
  );
}
