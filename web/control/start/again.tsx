import { useState } from "preact/hooks";
import type { FoundBackupAnswer } from "../../../appliance/control/wire.ts";
import { ask } from "../api.ts";
import { bytesName, clockText } from "../box/box-words.ts";
import { FileButton } from "../box/files.tsx";
import { useShell } from "../context.ts";
import { Card, Problem, Select } from "../parts.tsx";
import { useAction } from "../use-action.ts";
import { usePolled } from "../use-polled.ts";

const PATH = "api/found-backup";
const AGAIN_MS = 5_000;
/** The time that a machine takes to start with other data, at most. */
const TRIES = 60;
const PAUSE_MS = 1_000;

/** The way back for a new machine that is to be one from before: by a backup on its stick, or by a file. */
export function BeAgain() {
  const { actions } = useShell();
  const [answer] = usePolled<FoundBackupAnswer>(PATH, AGAIN_MS);
  const { busy, problem, run } = useAction();
  const [doing, setDoing] = useState("");
  const restore = (work: () => Promise<unknown>, machine: string) =>
    run(async () => {
      setDoing("The backup is checked and taken in. This takes a while…");
      try {
        await work();
        setDoing(`The machine starts with it…${elsewhere(machine)}`);
        await backAgain();
        await actions.reload();
      } finally {
        setDoing("");
      }
    });
  const [chosen, setChosen] = useState("");
  const all = answer?.found ?? [];
  const found = all.find(({ file }) => file === chosen) ?? all[0];
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return (
    <Card id="again" title="Or go on where another one stopped">
      {found === undefined ? (
        <p class="hint">
          With a nightly backup, this machine becomes the one that made it: sites, counts, tokens,
          decks, and the settings of its public address, mail and MQTT. A box takes its name, too.
        </p>
      ) : (
        <p>
          The USB stick has a backup of <strong>{found.machine}</strong>, of{" "}
          {clockText(found.at, zone)} ({bytesName(found.bytes)}). With it this machine becomes that
          one: name, sites, counts, tokens, decks, and the settings of its public address, mail and
          MQTT. Two at a time would be in each other's way.
        </p>
      )}
      {all.length > 1 && (
        <Select
          label="Backup"
          disabled={busy}
          value={found?.file}
          options={all.map(({ file, machine, at }) => ({
            id: file,
            name: `${machine}, ${clockText(at, zone)}`,
          }))}
          onChoose={setChosen}
        />
      )}
      <div class="row">
        {found !== undefined && (
          <button
            type="button"
            class="primary"
            disabled={busy}
            onClick={() => restore(() => ask("POST", PATH, { file: found.file }), found.machine)}
          >
            Be {found.machine} again
          </button>
        )}
        <FileButton
          label="From a backup file…"
          accept=".db"
          disabled={busy}
          onFile={(file) => {
            const path = `api/restore?whole=1&file=${encodeURIComponent(file.name)}`;
            return restore(() => ask("POST", path, file), "");
          }}
        />
      </div>
      <Problem text={problem} />
      <p role="status">{doing}</p>
    </Card>
  );
}

/** The address of a box that takes back its old name, where this page is open by the name. */
function elsewhere(machine: string): string {
  const { hostname, protocol, port } = location;
  if (!hostname.endsWith(".local") || hostname === `${machine}.local`) return "";
  const at = port === "" ? "" : `:${port}`;
  const where =
    machine === "" ? "by the name that it had" : `at ${protocol}//${machine}.local${at}/`;
  return ` If this page does not come back in two minutes, it is ${where}.`;
}

/** Resolves once the machine answers with its new data; who is signed out by then has to sign in. */
async function backAgain(): Promise<void> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    await new Promise((done) => setTimeout(done, PAUSE_MS));
    const isThere = await fetch("api/sites").then(
      ({ status }) => status < 500,
      () => false,
    );
    if (isThere) return;
  }
}
