import { jsonBody } from "../../../base/http/body.ts";
import { HttpError } from "../../../base/http/errors.ts";
import { isLabel } from "../../../base/names.ts";
import { invalidField } from "../../../base/refusal.ts";
import { RootRequests } from "../../../base/system/root-requests.ts";
import { closeWith } from "../../../base/tasks/closing.ts";
import { isTimeZone } from "../../../base/time-zone.ts";
import type { MachineChange, MachineSettings } from "../../../box/ipc/machine.ts";
import { MachineSwitch } from "../../../box/machine-settings.ts";
import { Presence } from "../../../box/presence.ts";
import type { OwnerContext } from "../../context.ts";
import { shape } from "../../input.ts";
import type { Handler } from "../../route.ts";
import type { MachineAnswer } from "../../wire.ts";

interface MachineParts {
  /** Missing where the system is not ours. */
  machine?: {
    readonly settings: MachineSettings | undefined;
    readonly isPending: boolean;
    change(change: MachineChange): Promise<void>;
  };
  /** Asks at the box before an ssh key is let in. */
  presence?: {
    readonly seconds: number | null;
    ask(change: MachineChange): void;
    /** @returns whether the code was right */
    use(code: string): Promise<boolean>;
  };
}

const text = (maxLength: number, what: string) => ({
  type: "string",
  maxLength,
  description: `must be ${what}`,
});

const readChange = shape<MachineChange & { code?: string }>({
  properties: {
    hostname: text(63, "a name of up to 63 letters, digits and hyphens"),
    timezone: text(64, "a time zone, like Europe/Zurich or UTC"),
    addKey: {
      ...text(4_000, "the line of a public key file, like ssh-ed25519 AAAA… me@laptop"),
      pattern: "^ {0,9}(?:ssh|ecdsa|sk)-[^ ]{1,99} +[^ ]",
    },
    removeKey: text(64, "the id of a key"),
    code: {
      type: "string",
      pattern: "^[0-9]{8}$",
      description: "must be the eight digits that the box's screen shows",
    },
  },
});

/** `GET /api/machine`: never a key itself. */
const showMachine: Handler<MachineParts, MachineAnswer> = (ctx, parts) => {
  const { machine, presence } = parts;
  ctx.set("Cache-Control", "no-store");
  ctx.body = {
    settings: machine?.settings ?? null,
    pending: machine?.isPending ?? false,
    confirmWithin: presence?.seconds ?? null,
  };
};

/**
 * `PUT /api/machine`, with any part of the settings: root changes them soon → as `GET`. A change with an ssh key waits a
 * minute for a press at the box, or for `{code}` from its screen.
 */
const changeMachineSettings: Handler<MachineParts, MachineAnswer> = async (ctx, parts) => {
  const { code, ...change } = readChange(await jsonBody(ctx));
  const { hostname, timezone } = change;
  if (hostname !== undefined && (!isLabel(hostname) || hostname.toLowerCase() === "localhost"))
    throw invalidField(
      "hostname",
      "must be a name of letters, digits and hyphens, like tallydeck.",
    );
  if (timezone !== undefined && !isTimeZone(timezone))
    throw invalidField("timezone", "must be a time zone, like Europe/Zurich or UTC.");
  const { machine, presence } = parts;
  if (machine === undefined || presence === undefined)
    throw new HttpError(
      409,
      "not_a_box",
      "Tallydeck is a program on this machine, not the whole of it. Set the machine up by its own means.",
    );
  try {
    if (code !== undefined) {
      if (!(await presence.use(code))) throw wrongCode();
    } else if (change.addKey === undefined) await machine.change(change);
    else presence.ask(change);
  } catch (error) {
    if (error instanceof HttpError) throw error;
    throw new HttpError(
      503,
      "machine_failed",
      "The box could not be told. Restart it and try again, or write the setting into tallydeck.env on its card.",
    );
  }
  await showMachine(ctx, parts);
};

function wrongCode(): HttpError {
  return new HttpError(
    401,
    "unauthorized",
    "This is not the code, or its minute is over. Add the key again, and type what the box's screen shows then.",
  );
}

/** The settings of the machine, where the system is ours. */
export function startMachine({ config, clock, random, routes, ends }: OwnerContext): {
  machine?: MachineSwitch;
  presence?: Presence;
} {
  const parts = config.root === undefined ? {} : switchIn(config.root.machine, clock, random);
  if (parts.presence !== undefined) closeWith(ends, parts.presence);
  routes.owner(
    parts,
    ["GET", "/api/machine", showMachine],
    ["PUT", "/api/machine", changeMachineSettings],
  );
  return parts;
}

function switchIn(
  folder: string,
  clock: OwnerContext["clock"],
  random: OwnerContext["random"],
): { machine?: MachineSwitch; presence?: Presence } {
  const machine = new MachineSwitch(new RootRequests(folder));
  const change = (wanted: MachineChange) => machine.change(wanted);
  return { machine, presence: new Presence({ clock, randomInt: random.int, change }) };
}
