import { DISK_ERROR_WORDS } from "../../../../appliance/base/text/disk-errors.ts";
import type { BoxAnswer } from "../../../../appliance/control/wire.ts";
import { counted } from "../../../shared/format.ts";
import { AnswerCard, Fact, useNow } from "../../parts.tsx";
import { bytesName, clockText, lifeText, spanName, wifiText, writtenText } from "../box-words.ts";
import { Power } from "./power.tsx";

/** Facts about the box, without those that it does not know, and its state. */
export function StatusCard({ status }: { status: BoxAnswer | undefined }) {
  return (
    <AnswerCard id="status" title="This machine" help="troubleshooting" answer={status}>
      {(known) => <Status status={known} />}
    </AnswerCard>
  );
}

function Status({ status }: { status: BoxAnswer }) {
  const { addresses, device, disk, memory, temperature, wifi } = status;
  const urls = [addresses.name, addresses.number].flatMap((url) => url ?? []);
  return (
    <>
      <dl class="facts">
        {urls.length > 0 && (
          <Fact name={urls.length === 1 ? "Address" : "Addresses"}>
            {urls.map((url) => (
              <a key={url} href={url}>
                {url}
              </a>
            ))}
          </Fact>
        )}
        <Time {...status} />
        <Days {...status} />
        <Fact name="Running for">{spanName(status.upSeconds)}</Fact>
        {disk !== undefined && (
          <Fact name="Storage">
            {bytesName(disk.freeBytes)} of {bytesName(disk.totalBytes)} free
            <Bar used={disk.totalBytes - disk.freeBytes} of={disk.totalBytes} />
          </Fact>
        )}
        {device !== undefined && (
          <Fact name="Written">
            {writtenText(device)}
            {device.lifeYears !== undefined && <small>{lifeText(device.lifeYears)}</small>}
          </Fact>
        )}
        <Memory {...memory} />
        {temperature !== undefined && <Fact name="Temperature">{Math.round(temperature)} °C</Fact>}
        {wifi !== undefined && <Fact name="Wi-Fi">{wifiText(wifi)}</Fact>}
      </dl>
      {device?.errors.map(({ kind, times, at }) => (
        <p key={kind} class="notice bad">
          The {device.isCard ? "memory card" : "disk"} fails. {DISK_ERROR_WORDS[kind]} (
          {counted(times, "time")} within a week
          {at !== null && `, last at ${clockText(at, status.timeZone)}`}). Make a backup now.
        </p>
      ))}
      {status.power && <Power />}
    </>
  );
}

function Time({ clockSet, timeZone }: Pick<BoxAnswer, "clockSet" | "timeZone">) {
  const now = useNow();
  return (
    <Fact name="Time">
      {clockSet ? clockText(now, timeZone) : "not set yet"}
      <small>{timeZone}</small>
    </Fact>
  );
}

/** The zone whose midnight begins a day, and what becomes of it: `DAY_ZONE` is set where this box's other settings are. */
function Days({ days, numbersElsewhere }: Pick<BoxAnswer, "days" | "numbersElsewhere">) {
  if (days === undefined) return null;
  return (
    <Fact name="Days begin">
      at midnight in {days.zone}
      <small>
        {days.ahead ??
          `${numbersElsewhere ? "tallydeck migrate --day-zone" : "DAY_ZONE"} changes it, from the next midnight in that zone. Days that are over stay.`}
      </small>
    </Fact>
  );
}

function Memory({ totalBytes, availableBytes, serviceBytes }: BoxAnswer["memory"]) {
  return (
    <Fact name="Memory">
      {availableBytes === undefined ? (
        bytesName(totalBytes)
      ) : (
        <>
          {bytesName(availableBytes)} of {bytesName(totalBytes)} free
          <Bar used={totalBytes - availableBytes} of={totalBytes} />
        </>
      )}
      <small>Tallydeck takes {bytesName(serviceBytes)}</small>
    </Fact>
  );
}

/** A bar of the used part, hidden from screen readers: the words stand above. */
function Bar({ used, of }: { used: number; of: number }) {
  const share = Math.min(1, used / of);
  return (
    <svg class={share > 0.9 ? "gauge full" : "gauge"} aria-hidden="true">
      <rect width="100%" height="100%" />
      <rect class="used" width={`${100 * share}%`} height="100%" />
    </svg>
  );
}
