import { HttpError } from "../../../base/http/errors.ts";
import { TEXT } from "../../../base/input/schema.ts";
import { invalidField } from "../../../base/refusal.ts";
import { RootRequests } from "../../../base/system/root-requests.ts";
import { readTunnel, tunnelText } from "../../../base/system/wireguard.ts";
import { TunnelSwitch } from "../../../box/tunnel.ts";
import type { OwnerContext } from "../../context.ts";
import { bodyWith } from "../../input.ts";
import type { ControlContext, RoutesOf } from "../../route.ts";
import type { TunnelAnswer } from "../../wire.ts";
import { expectTold, notABox } from "./root.ts";

interface TunnelParts {
  /** Missing where the system is not ours. */
  tunnel?: Pick<TunnelSwitch, "view" | "make" | "remove">;
}

const readConf = bodyWith({
  conf: { ...TEXT, description: "must be the text of a WireGuard configuration" },
});

const ROUTES: RoutesOf<TunnelParts> = {
  "GET /api/public/tunnel": viewOf,

  /** `{conf}`: the tunnel is made soon → as `GET` */
  "POST /api/public/tunnel": async (ctx, parts): Promise<TunnelAnswer> => {
    const { conf } = await readConf(ctx);
    const { tunnel, refused } = readTunnel(conf);
    if (tunnel === undefined) throw invalidField("conf", refusal(refused));
    await ask(parts, (box) => box.make(tunnelText(tunnel)));
    return viewOf(ctx, parts);
  },

  /** It is taken away soon → as `GET` */
  "DELETE /api/public/tunnel": async (ctx, parts): Promise<TunnelAnswer> => {
    await ask(parts, (box) => box.remove());
    return viewOf(ctx, parts);
  },
};

/** Never a private key. */
async function viewOf(ctx: ControlContext, { tunnel }: TunnelParts): Promise<TunnelAnswer> {
  ctx.set("Cache-Control", "no-store");
  return tunnel === undefined
    ? { possible: false, tunnel: null, pending: false, heard: false }
    : { possible: true, ...(await tunnel.view()) };
}

/** The most wrong lines in a message. In a text of another kind all lines are wrong. */
const MOST_TOLD = 4;

function refusal(refused: ReturnType<typeof readTunnel>["refused"]): string {
  const told = refused
    .slice(0, MOST_TOLD)
    .map(
      ({ label, line, why }) => `${label}${line === undefined ? "" : ` (line ${line})`} ${why}.`,
    );
  return `is no tunnel. ${told.join(" ")}`;
}

async function ask(
  { tunnel }: TunnelParts,
  change: (tunnel: NonNullable<TunnelParts["tunnel"]>) => Promise<void>,
): Promise<void> {
  if (tunnel === undefined) throw notABox("Set the tunnel up by the machine's own means.");
  if ((await tunnel.view()).tunnel?.declared)
    throw new HttpError(
      409,
      "declared",
      "The tunnel is that of wireguard.conf on the box's card. Change it there and restart the box.",
    );
  const instead = "Restart it and try again, or put the text on its card as wireguard.conf.";
  await expectTold(change(tunnel), "tunnel", instead);
}

/** The tunnel of a machine whose system is ours. */
export function startTunnel({ config: { root }, routes }: OwnerContext): void {
  routes.owner(root ? { tunnel: new TunnelSwitch(new RootRequests(root.tunnel)) } : {}, ROUTES);
}
