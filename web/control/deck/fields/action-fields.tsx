import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { FIELD_LIMITS, METHODS } from "../../../../appliance/base/input/deck-fields.ts";
import { DEFAULT_TTL } from "../../../../appliance/base/names.ts";
import type { Action, DeckView, RequestAction } from "../../../../appliance/control/wire.ts";
import { Area, CodeArea, Input, Select } from "../../parts.tsx";
import { AllowOrigin } from "../../push/allow-origin.tsx";
import { ChannelField } from "../../push/channel-field.tsx";
import { LIVES } from "../../push/test-value.tsx";
import type { AllowedOrigins } from "../../use-origins.ts";
import { headerLines, readHeaderLines } from "./actions.ts";
import { SequenceFields } from "./sequence-fields.tsx";

interface FieldsProps {
  action: Action;
  deck: DeckView;
  /** The channel the place is about; empty for none. */
  ownChannel: string;
  /** The origins to which keys may send requests. */
  origins: AllowedOrigins;
  onEdit: (next: Action) => void;
}

export function ActionFields({
  action,
  deck,
  ownChannel,
  origins,
  onEdit,
}: FieldsProps): JSX.Element | null {
  switch (action.do) {
    case "acknowledge":
    case "toggle":
      return (
        <ChannelField
          value={action.channel ?? ""}
          {...(ownChannel !== "" && { hint: `Empty means ${ownChannel}, which the key shows.` })}
          onInput={(channel) => onEdit(channel === "" ? { do: action.do } : { ...action, channel })}
        />
      );
    case "page":
      return <PageField action={action} deck={deck} onEdit={onEdit} />;
    case "send":
      return <SendFields action={action} onEdit={onEdit} />;
    case "clear":
      return (
        <ChannelField
          value={action.channel}
          onInput={(channel) => onEdit({ ...action, channel })}
        />
      );
    case "request":
      return <RequestFields action={action} origins={origins} onEdit={onEdit} />;
    case "sequence":
      return (
        <SequenceFields
          action={action}
          ownChannel={ownChannel}
          fieldsOf={(step, onStep) => (
            <ActionFields {...{ deck, ownChannel, origins }} action={step} onEdit={onStep} />
          )}
          onEdit={onEdit}
        />
      );
    case "sleep":
      return null;
  }
}

type Of<Kind extends Action["do"]> = {
  action: Extract<Action, { do: Kind }>;
  onEdit: (next: Action) => void;
};

function PageField({ action, deck, onEdit }: Of<"page"> & { deck: DeckView }) {
  const names = deck.pages.map(({ name }) => name);
  const isGone = !["next", "previous", ...names].includes(action.page);
  return (
    <Select
      label="Which page"
      value={action.page}
      options={[
        { id: "next", name: "The next one" },
        { id: "previous", name: "The one before" },
        ...names.map((id) => ({ id, name: id })),
        ...(isGone ? [{ id: action.page, name: `${action.page} (deleted)` }] : []),
      ]}
      onChoose={(page) => onEdit({ ...action, page })}
    />
  );
}

const FILLED_IN = `Filled in: ${["channel", "text", "deck", "slot", "delta"].map((name) => `{{${name}}}`).join(" ")}`;

function SendFields({ action, onEdit }: Of<"send">) {
  return (
    <>
      <ChannelField value={action.channel} onInput={(channel) => onEdit({ ...action, channel })} />
      <div class="pair">
        <Area
          label="Text"
          hint={`${FILLED_IN}.`}
          rows={1}
          maxLength={FIELD_LIMITS.text}
          value={action.text}
          onText={(text) => onEdit({ ...action, text })}
        />
        <Select
          label="Expires"
          value={action.ttl ?? DEFAULT_TTL}
          options={LIVES}
          onChoose={(ttl) => onEdit({ ...action, ttl })}
        />
      </div>
    </>
  );
}

function RequestFields({ action, origins, onEdit }: Of<"request"> & Pick<FieldsProps, "origins">) {
  const { headers: _, body: __, ...bare } = action;
  const { body, ...bodiless } = action;
  return (
    <>
      <div class="request-line">
        <Select
          label="Method"
          value={action.method}
          options={METHODS.map((id) => ({ id, name: id }))}
          // A GET sends no body.
          onChoose={(method) =>
            onEdit({ ...bodiless, method, ...(method !== "GET" && body && { body }) })
          }
        />
        <Input
          label="Address"
          type="url"
          spellcheck={false}
          value={action.url}
          maxLength={FIELD_LIMITS.url}
          placeholder="http://192.168.1.20:8123/api/webhook/door"
          onText={(text) => onEdit({ ...action, url: text.trim() })}
        />
      </div>
      <AllowOrigin url={action.url} origins={origins} />
      <Headers
        headers={action.headers}
        onEdit={(headers) =>
          onEdit({
            ...bare,
            ...(Object.keys(headers).length > 0 && { headers }),
            ...(body !== undefined && { body }),
          })
        }
      />
      {action.method !== "GET" && (
        <CodeArea
          label="Body"
          hint={`${FILLED_IN}; in the address, too.`}
          rows={3}
          maxLength={FIELD_LIMITS.body}
          value={body ?? ""}
          onText={(text) => onEdit(text === "" ? bodiless : { ...bodiless, body: text })}
        />
      )}
    </>
  );
}

interface HeadersProps {
  headers: RequestAction["headers"];
  onEdit: (headers: Record<string, string>) => void;
}

function Headers({ headers, onEdit }: HeadersProps) {
  const [lines, setLines] = useState(headerLines(headers));
  const isBroken = readHeaderLines(lines) === undefined;
  return (
    <CodeArea
      label="Headers"
      hint={
        isBroken
          ? "A header is a name, a colon and a value: Authorization: Bearer abc."
          : "One a line. Their values are secrets: they are not shown again, only …"
      }
      rows={2}
      autocomplete="off"
      placeholder="Authorization: Bearer abc"
      value={lines}
      onText={(text) => {
        setLines(text);
        const read = readHeaderLines(text);
        if (read !== undefined) onEdit(read);
      }}
    />
  );
}
