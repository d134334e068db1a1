/** Runs as root when the owner changes the tunnel: see tallydeck-tunnel.service. */
import { changeTunnel } from "./asked-tunnel.ts";

changeTunnel({ root: "/" });
