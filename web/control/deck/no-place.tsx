import { placeName } from "../../../appliance/base/text/place-name.ts";
import type { DeckView } from "../../../appliance/control/wire.ts";
import { deckPath } from "../addresses.ts";
import { useShell } from "../context.ts";
import { describe } from "./find-keys.ts";
import type { Editor } from "./use-editor.ts";

/** The box's names of the starting points. */
const STARTING_POINTS = [
  { id: "my sites", name: "My sites", about: "visitors and views of each of your sites" },
  { id: "home", name: "Home", about: "time, temperature, door, light, sleep" },
  {
    id: "build status",
    name: "Build status",
    about: "a key for each channel, to be marked as seen",
  },
] as const;

/** A hint beside a deck without a chosen place. */
export function NoPlace({ deck, editor }: { deck: DeckView; editor: Editor }) {
  return deck.slots.length === 0 ? <Inputs deck={deck} /> : <Begin deck={deck} editor={editor} />;
}

function Begin({ deck, editor }: { deck: DeckView; editor: Editor }) {
  return (
    <section class="card panel pick">
      <h2>Choose a key</h2>
      <p>
        Click one here{deck.virtual ? "" : ", or press it on the deck"}. Then say what it shows: a
        text that other programs push, a live number of a site, the time, …
      </p>
      <p>
        Drag a key onto another, and they change places; with Alt it is copied. On a touch screen,
        hold it a moment first. Ctrl or Cmd with C, X and V copies, cuts and pastes a key, also
        between pages and decks.
      </p>
      <h3>Or fill the empty keys</h3>
      <ul class="starting-points">
        {STARTING_POINTS.map(({ id, name, about }) => (
          <li key={id}>
            <button
              type="button"
              onClick={() => editor.change(deckPath(deck.id, "/starting-point"), { name: id })}
            >
              {name}
            </button>
            <span>{about}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** A deck without displays has nothing to look at but this. */
function Inputs({ deck }: { deck: DeckView }) {
  const { change } = useShell();
  return (
    <section class="card panel pick">
      <h2>What its buttons do</h2>
      <p>
        This deck has no displays. Pressed or held, each of its buttons can mark an alarm as seen,
        send a value to a channel, or send an HTTP request.
      </p>
      <ul class="starting-points">
        {deck.inputs.map((input) => (
          <li key={input.input}>
            <button type="button" onClick={() => change({ slot: input.input })}>
              {placeName(input.input)}
            </button>
            <span>{describe(input) || "Nothing yet"}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
