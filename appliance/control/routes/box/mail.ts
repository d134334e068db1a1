import { jsonBody } from "../../../base/http/body.ts";
import { closeWith } from "../../../base/tasks/closing.ts";
import { MAIL, MailServer } from "../../../links/mail/mail-server.ts";
import { documentsIn } from "../../../store/store.ts";
import type { OwnerContext } from "../../context.ts";
import { shape } from "../../input.ts";
import type { Handler } from "../../route.ts";
import type { MailAnswer, MailChange } from "../../wire.ts";

const text = { type: "string", description: "must be a string" };

const readChange = shape<MailChange>({
  properties: {
    host: text,
    port: {
      type: "integer",
      minimum: 1,
      maximum: 65_535,
      description: "must be a port from 1 to 65535",
    },
    security: { enum: ["tls", "starttls"], description: "must be tls or starttls" },
    user: text,
    password: text,
    from: text,
    ca: text,
  },
});

/** `GET /api/mail`: never the password. */
const showMail: Handler<MailServer, MailAnswer> = (ctx, mail) => {
  ctx.body = view(mail);
};

/**
 * `PUT /api/mail`; what is left out stays as it is, but for the password: it is told to the server it was given for and to
 * no other. An empty host takes the server away → as `GET`
 */
const changeMail: Handler<MailServer, MailAnswer> = async (ctx, mail) => {
  const change = readChange(await jsonBody(ctx));
  const { settings } = mail;
  const goesElsewhere =
    (change.host ?? settings.host) !== settings.host ||
    (change.port ?? settings.port) !== settings.port;
  await mail.change({ ...settings, ...(goesElsewhere && { password: "" }), ...change });
  ctx.body = view(mail);
};

function view({ settings, last }: MailServer): MailAnswer {
  const { password, ...shown } = settings;
  return { ...shown, hasPassword: password !== "", last };
}

/** The mail server of the owner. */
export async function startMail({
  clock,
  store: { local },
  routes,
  ends,
}: OwnerContext): Promise<MailServer> {
  const options = { documents: documentsIn(local, MAIL), now: () => clock.now() };
  const mail = closeWith(ends, await MailServer.open(options));
  routes.owner(mail, ["GET", "/api/mail", showMail], ["PUT", "/api/mail", changeMail]);
  return mail;
}
