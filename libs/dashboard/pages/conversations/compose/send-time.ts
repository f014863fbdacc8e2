const MINUTE_MS = 60_000;
const LATEST_MS = 30 * 86_400_000;

/** A time as the value of `<input type="datetime-local">`: `2026-11-25T14:30`. */
export function localTime(at: number): string {
  const offset = new Date(at).getTimezoneOffset() * MINUTE_MS;
  return new Date(at - offset).toISOString().slice(0, 'yyyy-mm-ddThh:mm'.length);
}

/** Why a message cannot be sent at this local time; undefined if it can. */
export function faultOfTime(value: string, now: number): string | undefined {
  const at = Date.parse(value);
  if (Number.isNaN(at)) return 'Choose a day and a time.';
  if (at <= now) return 'This time has passed.';
  return at > now + LATEST_MS ? 'This is more than 30 days ahead.' : undefined;
}
