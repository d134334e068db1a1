/** The interface of the owner's tunnel; the firewall and the network's files know it by this name. */
export const TUNNEL = "tallydeck-wg";
