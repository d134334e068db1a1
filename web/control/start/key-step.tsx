import type { DeckView, StatWidget } from "../../../appliance/control/wire.ts";
import { slotPath } from "../addresses.ts";
import { ask } from "../api.ts";
import { useShell } from "../context.ts";
import { DashboardLink } from "../dashboard-link.tsx";
import { SlotImage } from "../deck/deck-picture.tsx";
import { Problem } from "../parts.tsx";
import { useAction } from "../use-action.ts";

/** A key by its place on its deck. */
interface Key {
  deck: DeckView;
  slot: string;
}

/** The first key that shows a number of a site. */
export function keyOf(decks: readonly DeckView[], site: string): Key | undefined {
  return keyWith(decks, ({ widget }) => widget.type === "stat" && widget.site === site);
}

function keyWith(
  decks: readonly DeckView[],
  fits: (slot: DeckView["slots"][number]) => boolean,
): Key | undefined {
  for (const deck of decks) {
    const slot = deck.slots.find(fits);
    if (slot !== undefined) return { deck, slot: slot.slot };
  }
  return undefined;
}

/** Puts the views of today on the first key that is free, and shows it. */
export function KeyStep({ site }: { site: string }) {
  const { box, actions, change } = useShell();
  const { busy, problem, run } = useAction();
  const set = keyOf(box.decks, site);
  const connected = box.decks.filter(({ connected, slots }) => connected && slots.length > 0);
  const free = keyWith(connected, ({ kind, widget }) => kind === "key" && widget.type === "empty");
  if (set !== undefined) return <SetKey at={set} />;
  if (connected.length === 0) return <WithoutDeck site={site} />;
  if (free === undefined)
    return (
      <p>
        Every key shows something already.{" "}
        <button type="button" class="link" onClick={() => change({ tab: "deck" })}>
          Choose the one that is to change
        </button>
        .
      </p>
    );
  const put = () =>
    run(async () => {
      const widget: StatWidget = { type: "stat", site, metric: "pv", period: "day" };
      const { deck, slot } = free;
      actions.keepPlace(deck.id, await ask("PUT", slotPath(deck.id, slot), { widget }));
    });
  return (
    <>
      <p>Today's views, live, on the first free key of {free.deck.name}:</p>
      <div class="row">
        <button type="button" class="primary" disabled={busy} onClick={() => void put()}>
          Put it on a key
        </button>
        <DashboardLink class="button" site={site}>
          See it on the dashboard
        </DashboardLink>
      </div>
      <Problem text={problem} />
    </>
  );
}

/** The ways to a number where there is no deck yet. */
function WithoutDeck({ site }: { site: string }) {
  const { busy, problem, run } = useAction();
  const add = () => run(() => ask("POST", "api/decks", { model: "mk2" }));
  return (
    <>
      <p>Plug in a stream deck, and its key is set here. Without one:</p>
      <div class="row">
        <DashboardLink class="button primary" site={site}>
          See it on the dashboard
        </DashboardLink>
        <button type="button" disabled={busy} onClick={() => void add()}>
          Add a virtual deck
        </button>
      </div>
      <Problem text={problem} />
    </>
  );
}

/** The key as it looks now. */
function SetKey({ at: { deck, slot } }: { at: Key }) {
  const { change } = useShell();
  const shown = deck.slots.find((one) => one.slot === slot);
  return (
    <div class="row set-key">
      {shown && <SlotImage deck={deck.id} slot={shown} />}
      <p>
        It stands on {deck.name}.{" "}
        <button
          type="button"
          class="link"
          onClick={() => change({ tab: "deck", deck: deck.id, slot })}
        >
          Change what the key shows
        </button>
      </p>
    </div>
  );
}
