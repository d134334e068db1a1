import { jsonBody } from "../../../base/http/body.ts";
import { HttpError } from "../../../base/http/errors.ts";
import { invalidField } from "../../../base/refusal.ts";
import { RootRequests } from "../../../base/system/root-requests.ts";
import { readTunnel, tunnelText } from "../../../base/system/wireguard.ts";
import { TunnelSwitch } from "../../../box/tunnel.ts";
import type { OwnerContext } from "../../context.ts";
import { shape } from "../../input.ts";
import type { Handler } from "../../route.ts";
import type { TunnelAnswer } from "../../wire.ts";

interface TunnelParts {
  /** Missing where the system is not ours. */
  tunnel?: {
    view(): Promise<Omit<TunnelAnswer, "possible">>;
    /** Requests the tunnel of a valid configuration. */
    make(text: string): Promise<void>;
    remove(): Promise<void>;
  };
}

const readConf = shape<{ conf: string }>({
  properties: {
    conf: { type: "string", description: "must be the text of a WireGuard configuration" },
  },
  required: ["conf"],
});

/** `GET /api/public/tunnel`: never a private key. */
const showTunnel: Handler<TunnelParts, TunnelAnswer> = async (ctx, { tunnel }) => {
  ctx.set("Cache-Control", "no-store");
  ctx.body =
    tunnel === undefined
      ? { possible: false, tunnel: null, pending: false, heard: false }
      : { possible: true, ...(await tunnel.view()) };
};

/** `POST /api/public/tunnel` `{conf}`: the tunnel is made soon → as `GET` */
const makeTunnel: Handler<TunnelParts, TunnelAnswer> = async (ctx, parts) => {
  const { conf } = readConf(await jsonBody(ctx));
  const { tunnel, refused } = readTunnel(conf);
  if (tunnel === undefined) throw invalidField("conf", refusal(refused));
  await ask(parts, (box) => box.make(tunnelText(tunnel)));
  await showTunnel(ctx, parts);
};

/** `DELETE /api/public/tunnel`: it is taken away soon → as `GET` */
const removeTunnel: Handler<TunnelParts, TunnelAnswer> = async (ctx, parts) => {
  await ask(parts, (box) => box.remove());
  await showTunnel(ctx, parts);
};

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
  if (tunnel === undefined)
    throw new HttpError(
      409,
      "not_a_box",
      "Tallydeck is a program on this machine, not the whole of it. Set the tunnel up by the machine's own means.",
    );
  if ((await tunnel.view()).tunnel?.declared)
    throw new HttpError(
      409,
      "declared",
      "The tunnel is that of wireguard.conf on the box's card. Change it there and restart the box.",
    );
  try {
    await change(tunnel);
  } catch {
    throw new HttpError(
      503,
      "tunnel_failed",
      "The box could not be told. Restart it and try again, or put the text on its card as wireguard.conf.",
    );
  }
}

/** The tunnel of a machine whose system is ours. */
export function startTunnel({ config, routes }: OwnerContext): void {
  routes.owner(
    config.root ? { tunnel: new TunnelSwitch(new RootRequests(config.root.tunnel)) } : {},
    ["GET", "/api/public/tunnel", showTunnel],
    ["POST", "/api/public/tunnel", makeTunnel],
    ["DELETE", "/api/public/tunnel", removeTunnel],
  );
}
