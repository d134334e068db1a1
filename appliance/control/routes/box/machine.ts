import { HttpError } from "../../../base/http/errors.ts";
import { TEXT, textUpTo } from "../../../base/input/schema.ts";
import { isLabel } from "../../../base/names.ts";
import { invalidField } from "../../../base/refusal.ts";
import { RootRequests } from "../../../base/system/root-requests.ts";
import { closeWith } from "../../../base/tasks/closing.ts";
import { isTimeZone } from "../../../base/time-zone.ts";
import type { MachineChange } from "../../../box/ipc/machine.ts";
import { MachineSwitch } from "../../../box/machine-settings.ts";
import { Presence } from "../../../box/presence.ts";
import type { OwnerContext } from "../../context.ts";
import { bodyWith } from "../../input.ts";
import type { ControlContext, RoutesOf } from "../../route.ts";
import type { MachineAnswer } from "../../wire.ts";
import { expectTold, notABox } from "./root.ts";

interface MachineParts {
  /** Missing where the system is not ours. */
  machine?: Pick<MachineSwitch, "settings" | "isPending" | "change">;
  /** Asks at the box before an ssh key is let in. */
  presence?: Pick<Presence, "seconds" | "ask" | "use">;
}

const text = (maxLength: number, what: string) => ({
  ...textUpTo(maxLength),
  description: `must be ${what}`,
});

const readChange = bodyWith(
  {},
  {
    hostname: text(63, "a name of up to 63 letters, digits and hyphens"),
    timezone: text(64, "a time zone, like Europe/Zurich or UTC"),
    addKey: {
      ...text(4_000, "the line of a public key file, like ssh-ed25519 AAAA… me@laptop"),
      pattern: "^ {0,9}(?:ssh|ecdsa|sk)-[^ ]{1,99} +[^ ]",
    },
    removeKey: text(64, "the id of a key"),
    code: {
      ...TEXT,
      pattern: "^[0-9]{8}$",
      description: "must be the eight digits that the box's screen shows",
    },
  },
);

const ROUTES: RoutesOf<MachineParts> = {
  "GET /api/machine": viewOf,

  /**
   * Any part of the settings: root changes them soon → as `GET`. A change with an ssh key waits a minute for a press at the
   * box, or for `{code}` from its screen.
   */
  "PUT /api/machine": async (ctx, parts): Promise<MachineAnswer> => {
    const { code, ...change } = await readChange(ctx);
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
      throw notABox("Set the machine up by its own means.");
    const instead =
      "Restart it and try again, or write the setting into tallydeck.env on its card.";
    if (code !== undefined) {
      if (!(await expectTold(presence.use(code), "machine", instead))) throw wrongCode();
    } else if (change.addKey === undefined)
      await expectTold(machine.change(change), "machine", instead);
    else presence.ask(change);
    return viewOf(ctx, parts);
  },
};

/** Never a key itself. */
function viewOf(ctx: ControlContext, { machine, presence }: MachineParts): MachineAnswer {
  ctx.set("Cache-Control", "no-store");
  return {
    settings: machine?.settings ?? null,
    pending: machine?.isPending ?? false,
    confirmWithin: presence?.seconds ?? null,
  };
}

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
  routes.owner(parts, ROUTES);
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
