import { useEffect, useState } from "preact/hooks";
import { FIELD_LIMITS } from "../../../appliance/base/input/deck-fields.ts";
import type { DeckView } from "../../../appliance/control/wire.ts";
import { deckPath } from "../addresses.ts";
import { ask } from "../api.ts";
import { AskFirst } from "../confirm.tsx";
import { useShell } from "../context.ts";
import { Problem } from "../parts.tsx";
import { useAction } from "../use-action.ts";
import { NameField } from "./fields/label-field.tsx";

/** The pages of a deck: choosing one shows it on the deck, too. */
export function PageBar({ deck }: { deck: DeckView }) {
  const { actions } = useShell();
  const { busy, problem, run } = useAction();
  useStay(deck);
  const [isEdited, setEdited] = useState(false);
  // One page needs no name.
  const tabs = deck.pages.length > 1 ? deck.pages : [];
  const show = (page: number) =>
    run(() => actions.changeDeck("PATCH", deckPath(deck.id), { page }));
  const add = () =>
    run(async () => {
      const { pages } = await actions.changeDeck("POST", deckPath(deck.id, "/pages"), {});
      await actions.changeDeck("PATCH", deckPath(deck.id), { page: pages.length - 1 });
      setEdited(true);
    });
  return (
    <div class="page-bar">
      <nav aria-label="Pages" class="page-tabs">
        {tabs.map(({ name }, page) => (
          <button
            key={name}
            type="button"
            aria-current={page === deck.page ? "page" : undefined}
            disabled={busy}
            onClick={() => show(page)}
          >
            {name}
          </button>
        ))}
        {deck.pages.length < FIELD_LIMITS.pages && (
          <button type="button" class="quiet" disabled={busy} aria-label="Add a page" onClick={add}>
            + Page
          </button>
        )}
        {tabs.length > 0 && (
          <button
            type="button"
            class="quiet"
            aria-expanded={isEdited}
            onClick={() => setEdited(!isEdited)}
          >
            Edit
          </button>
        )}
      </nav>
      {isEdited && tabs.length > 0 && (
        <PageEditor key={deck.page} deck={deck} run={run} busy={busy} />
      )}
      <Problem text={problem} />
    </div>
  );
}

const WAYS = [
  { way: "left", sign: "←", by: -1 },
  { way: "right", sign: "→", by: 1 },
] as const;

interface PageEditorProps {
  deck: DeckView;
  busy: boolean;
  run: ReturnType<typeof useAction>["run"];
}

/** Name and place of the page that shows. */
function PageEditor({ deck, busy, run }: PageEditorProps) {
  const { actions } = useShell();
  const { page, pages } = deck;
  const name = pages[page]?.name ?? "";
  const path = `${deckPath(deck.id)}/pages/${page}`;
  const change = (what: { name?: string; to?: number }) =>
    run(() => actions.changeDeck("PATCH", path, what));
  const remove = () => run(() => actions.changeDeck("DELETE", path));
  return (
    <div class="row page-editor">
      <NameField label="Name of the page" name={name} onSet={(next) => change({ name: next })} />
      {WAYS.map(({ way, sign, by }) => (
        <button
          key={way}
          type="button"
          aria-label={`Move the page to the ${way}`}
          disabled={busy || pages[page + by] === undefined}
          onClick={() => change({ to: page + by })}
        >
          {sign}
        </button>
      ))}
      <AskFirst
        label="Delete"
        class="danger"
        disabled={busy || pages.length === 1}
        title={`Delete the page ${name}?`}
        text="What its keys are set to is lost. Keys that are on all pages stay."
        yes="Delete it"
        onYes={remove}
      />
    </div>
  );
}

/** An interval shorter than the shortest time after which a deck goes back to its first page. */
const EVERY_MS = 2_000;

/** Keeps a deck on the page that an owner sets up here, for as long as the owner does something. */
function useStay({ id, page, homeAfterSeconds }: DeckView): void {
  useEffect(() => {
    if (page === 0 || homeAfterSeconds === null) return;
    let told = performance.now();
    const stay = () => {
      if (performance.now() - told < EVERY_MS) return;
      told = performance.now();
      // A failure lets the deck go back a little early, which does no harm.
      ask("PATCH", deckPath(id), { page }).catch(() => {});
    };
    const events = ["pointerdown", "pointermove", "keydown"] as const;
    for (const event of events) addEventListener(event, stay);
    return () => {
      for (const event of events) removeEventListener(event, stay);
    };
  }, [id, page, homeAfterSeconds]);
}
