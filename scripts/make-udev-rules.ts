import { MODELS } from "../appliance/deck/usb/models.ts";

/** The group the service runs in. */
const GROUP = "tallydeck";

const HEADER = `# Lets Tallydeck use the decks it knows. Made by scripts/make-udev-rules; do not edit.
# A service gets nothing from "uaccess", which is for people at the machine: hence the group.
`;

function hex(id: number): string {
  return id.toString(16).padStart(4, "0");
}

const rules = MODELS.flatMap(({ name, usb }) => [
  `\n# ${name}`,
  ...usb.flatMap(({ vendor, product }) => [
    `SUBSYSTEM=="usb", ENV{DEVTYPE}=="usb_device", ATTR{idVendor}=="${hex(vendor)}", ATTR{idProduct}=="${hex(product)}", GROUP="${GROUP}", MODE="0660"`,
    `SUBSYSTEM=="hidraw", ATTRS{idVendor}=="${hex(vendor)}", ATTRS{idProduct}=="${hex(product)}", GROUP="${GROUP}", MODE="0660"`,
  ]),
]);

process.stdout.write(`${[HEADER.trimEnd(), ...rules].join("\n")}\n`);
