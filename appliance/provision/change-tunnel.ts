/** Started as root when the owner asks for another tunnel: see tallydeck-tunnel.service. */
import { changeTunnel } from "./asked-tunnel.ts";

changeTunnel({ root: "/" });
