import { invalidField, orElse } from "../../base/refusal.ts";
import { type PushRules, parseWidget, type Widget } from "../face/widget.ts";
import {
  type Action,
  lostSecret,
  readAction,
  secretsOf,
  shownAction,
  withSecrets,
} from "./action.ts";

/** The gestures for which an action may be set. */
export const ACTION_KINDS = ["press", "hold", "turn"] as const;

type SlotActions = Partial<Record<(typeof ACTION_KINDS)[number], Action>>;

/** The settings of one slot: its widget and its actions. */
export interface SlotSettings extends SlotActions {
  widget: Widget;
  /** Whether home automation has it as a button, although it has no action. */
  button?: true;
}

/** A change of a slot: a part that is left out stays, and null takes an action away. */
export interface SlotChange extends Partial<Record<keyof SlotActions, Action | null>> {
  widget?: Widget;
  button?: boolean;
}

/** The same, unchecked, from outside. */
export type SlotInput = Partial<Record<keyof SlotChange, unknown>>;

/** The slot's part in `SlotInput`, as JSON Schema; readers of widgets and actions say the rest. */
export const SLOT_INPUT = {
  widget: {},
  press: {},
  hold: {},
  turn: {},
  button: { type: "boolean", description: "must be true or false" },
};

/**
 * @param at begins the path of each field, where the slot is a part of something
 * @throws {Refusal} `invalid_field`
 */
export function readSlot({ widget, button, ...given }: SlotInput, rules: PushRules, at = "") {
  const change: SlotChange = {};
  if (widget !== undefined) change.widget = parseWidget(widget, rules, `${at}widget`);
  for (const kind of ACTION_KINDS) {
    const action = given[kind];
    if (action === undefined) continue;
    change[kind] = action === null ? null : readAction(action, rules, `${at}${kind}`);
  }
  if (button !== undefined) change.button = button === true;
  return change;
}

/** Reads a stored slot, and drops invalid parts. */
export function storedSlot(
  { widget, button, ...actions }: SlotInput,
  rules: PushRules,
): SlotSettings {
  const empty: Widget = { type: "empty" };
  const slot: SlotSettings = {
    widget: orElse(() => parseWidget(widget, rules), empty),
    ...(button === true && { button }),
  };
  for (const kind of ACTION_KINDS) {
    const action = orElse(() => readAction(actions[kind], rules, kind), undefined);
    if (action !== undefined) slot[kind] = action;
  }
  return slot;
}

/**
 * @param known actions of the deck, which may have the hidden secrets of the change
 * @throws {Refusal} `invalid_field` for a hidden secret that none of them has
 */
export function changedSlot(
  { button, ...settings }: SlotSettings,
  { button: isButton = button === true, widget = settings.widget, ...change }: SlotChange,
  known: readonly Action[],
): SlotSettings {
  const slot: SlotSettings = { ...settings, widget, ...(isButton && { button: true }) };
  // Secrets of the same slot come first.
  const secrets = secretsOf([...actionsOf(settings), ...known]);
  for (const kind of ACTION_KINDS) {
    const action = change[kind];
    if (action === null) delete slot[kind];
    if (!action) continue;
    slot[kind] = withSecrets(action, secrets);
    const lost = lostSecret(slot[kind]);
    if (lost !== undefined)
      throw invalidField(`${kind}.headers.${lost}`, "is not known here. Type its value again.");
  }
  return slot;
}

/** A slot that was not set before; hidden secrets stay hidden. */
export function newSlot({ widget = { type: "empty" }, button, ...actions }: SlotChange) {
  const slot: SlotSettings = { widget, ...(button === true && { button }) };
  for (const kind of ACTION_KINDS) if (actions[kind]) slot[kind] = actions[kind];
  return slot;
}

export function actionsOf(slot: SlotActions): Action[] {
  return ACTION_KINDS.flatMap((kind) => slot[kind] ?? []);
}

/** A slot with each of its actions as `change` makes it. */
export function mapActions(slot: SlotSettings, change: (action: Action) => Action): SlotSettings {
  const mapped = { ...slot };
  for (const kind of ACTION_KINDS) if (slot[kind] !== undefined) mapped[kind] = change(slot[kind]);
  return mapped;
}

/** A slot as it may be shown to everybody. */
export function shownSlot(slot: SlotSettings): SlotSettings {
  return mapActions(slot, shownAction);
}
