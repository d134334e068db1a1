import { useId } from "preact/hooks";
import { useShell } from "../../context.ts";
import { ChannelField as AnyChannelField } from "../../push/channel-field.tsx";

interface ChannelFieldProps {
  channel: string;
  onChoose: (channel: string) => void;
}

/** A choice of channels. Those with pushes and without a key come first, since one of them is the likely choice. */
export function ChannelField({ channel: chosen, onChoose }: ChannelFieldProps) {
  const { box } = useShell();
  const list = useId();
  const unbound = box.channels.filter(({ bound }) => bound === 0);
  return (
    <>
      <AnyChannelField list={list} value={chosen} onInput={onChoose} />
      <datalist id={list}>
        {box.channels.map(({ channel }) => (
          <option key={channel} value={channel} />
        ))}
      </datalist>
      {unbound.length > 0 && (
        <fieldset class="chips">
          <legend>Seen, and on no key yet</legend>
          {unbound.map(({ channel }) => (
            <button key={channel} type="button" onClick={() => onChoose(channel)}>
              {channel}
            </button>
          ))}
        </fieldset>
      )}
    </>
  );
}
