import { hasTunnel } from "../../../box/tunnel.ts";
import { privacyText } from "../../../control/routes/sites/privacy.ts";
import { PUBLIC_ADDRESS } from "../../../links/public/public-address.ts";
import { documentsOf, EMPTY_DIRECTORY, openBoxToLook, openToLook } from "../../../store/desk.ts";
import { command, valued } from "../command.ts";
import { configFrom, DATA_OPTIONS, DATA_OPTIONS_HELP } from "../data.ts";
import { checkData } from "../others-data.ts";

export const privacy = command({
  alone: "privacy",
  help: `tallydeck privacy: prints a text for your privacy page, by the settings in force and by what was
counted so far: what is kept of a visit, and for how long.

  --detail-days N  as \`tallydeck run\` has it (DETAIL_DAYS)
${DATA_OPTIONS_HELP}

Put in what stands in CAPITALS, and leave out what you do not use. The Web UI shows the same text. This is
no legal advice.`,
  options: { ...DATA_OPTIONS, ...valued("detail-days") },
  async run({ values }, terminal) {
    const config = configFrom(values, terminal);
    await checkData(["privacy"], config, terminal);
    // The settings of the Web UI stand in the box's own file, wherever its numbers are.
    const box = await openBoxToLook(config.dataDir);
    const [kept] =
      (await (box && documentsOf(box, PUBLIC_ADDRESS).finally(() => box.close()))) ?? [];
    const desk = await openToLook(config);
    try {
      const text = await privacyText({
        directory: (await desk?.directory()) ?? EMPTY_DIRECTORY,
        read: (query, input) => {
          if (desk === undefined) throw new Error("there is nobody to ask where no site is");
          return desk.read(query, input);
        },
        config,
        isTunnelled: hasTunnel(),
        hasPublicAddress: (config.publicAddress ?? kept?.body)?.enabled === true,
        now: terminal.now(),
      });
      terminal.out(text);
    } finally {
      await desk?.close();
    }
  },
});
