import { useEffect, useState } from "preact/hooks";
import type { IconsAnswer } from "../../../../appliance/control/wire.ts";
import { ask } from "../../api.ts";
import { Input, Problem, VERBATIM } from "../../parts.tsx";
import { useAction } from "../../use-action.ts";

/** The most icons in a list, which more would not help. */
const MOST = 60;

interface IconPickerProps {
  value: string;
  onChoose: (icon: string) => void;
}

/** A search of all icons by name. */
export function IconPicker({ value, onChoose }: IconPickerProps) {
  const [all, setAll] = useState<IconsAnswer>();
  const [search, setSearch] = useState("");
  const { problem, run } = useAction();
  useEffect(() => {
    void run(async () => setAll(await ask<IconsAnswer>("GET", "api/icons")));
  }, []);
  const found = iconsLike(all, search, value);
  return (
    <>
      <Input
        label="Icon"
        hint={all && `${all.icons.length} icons by lucide.dev`}
        type="search"
        {...VERBATIM}
        placeholder="Search: door, sun, battery"
        value={search}
        onText={setSearch}
      />
      <Problem text={problem} />
      <fieldset class="icons" aria-label="Icons">
        {found.slice(0, MOST).map(({ name, path }) => (
          <button
            key={name}
            type="button"
            title={name}
            aria-label={name}
            aria-pressed={name === value}
            onClick={() => onChoose(name)}
          >
            <svg viewBox="0 0 24 24" aria-hidden="true">
              <path d={path} />
            </svg>
          </button>
        ))}
      </fieldset>
      {all && found.length === 0 && <p class="hint">No icon has this in its name.</p>}
      {found.length > MOST && <p class="hint">{found.length - MOST} more: search to see them.</p>}
    </>
  );
}

/** Icons whose name has every word: the chosen one first, then those that begin with the words. */
function iconsLike(
  all: IconsAnswer | undefined,
  search: string,
  chosen: string,
): { name: string; path: string }[] {
  const words = search.trim().toLowerCase().split(/\s+/);
  const rank = (name: string) =>
    name === chosen && search === "" ? 0 : name.startsWith(words[0] ?? "") ? 1 : 2;
  return (all?.icons ?? [])
    .map((name, i) => ({ name, path: all?.paths[i] ?? "" }))
    .filter(({ name }) => words.every((word) => name.includes(word)))
    .sort((a, b) => rank(a.name) - rank(b.name));
}
