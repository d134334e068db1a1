import { closeWith } from "../../../base/tasks/closing.ts";
import { MAIL, MailServer } from "../../../links/mail/mail-server.ts";
import { MAIL_FIELDS } from "../../../links/mail/settings.ts";
import { documentsIn } from "../../../store/store.ts";
import type { OwnerContext } from "../../context.ts";
import { bodyWith } from "../../input.ts";
import type { RoutesOf } from "../../route.ts";
import type { MailAnswer } from "../../wire.ts";

const readChange = bodyWith({}, MAIL_FIELDS);

const ROUTES: RoutesOf<MailServer> = {
  "GET /api/mail": (_, mail) => view(mail),

  /**
   * Changes settings; what is left out stays as it is, but for the password: it is told to the server it was given for and to
   * no other. An empty host takes the server away → as `GET`
   */
  "PUT /api/mail": async (ctx, mail): Promise<MailAnswer> => {
    const change = await readChange(ctx);
    const { settings } = mail;
    const goesElsewhere =
      (change.host ?? settings.host) !== settings.host ||
      (change.port ?? settings.port) !== settings.port;
    await mail.change({ ...settings, ...(goesElsewhere && { password: "" }), ...change });
    return view(mail);
  },
};

/** Never the password. */
function view({ settings, last }: MailServer): MailAnswer {
  const { password, ...shown } = settings;
  return { ...shown, hasPassword: password !== "", last };
}

export async function startMail({
  clock,
  store: { local },
  routes,
  ends,
}: OwnerContext): Promise<MailServer> {
  const options = { documents: documentsIn(local, MAIL), now: () => clock.now() };
  const mail = closeWith(ends, await MailServer.open(options));
  routes.owner(mail, ROUTES);
  return mail;
}
