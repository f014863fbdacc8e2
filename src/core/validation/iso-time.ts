const LEAP_YEAR = '(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)';
const DAY_OF_ANY_YEAR =
  '(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8]))';
const DAY = `(?:[0-9]{4}-${DAY_OF_ANY_YEAR}|${LEAP_YEAR}-02-29)`;
const HOUR = '(?:[01][0-9]|2[0-3])';
const TIME = `${HOUR}:[0-5][0-9](?::[0-5][0-9](?:[.][0-9]{1,9})?)?`;

/** An ISO 8601 date that exists, or a timestamp with its offset. */
export const ISO_TIME = new RegExp(`^${DAY}(?:T${TIME}(?:Z|[+-]${HOUR}:?[0-5][0-9]))?$`);
const DATE = /^\d{4}-\d{2}-\d{2}$/;

/** Whether a value is an ISO 8601 date or timestamp; a bare date is read as UTC. */
export function isIsoTime(text: unknown): text is string {
  return typeof text === 'string' && ISO_TIME.test(text);
}

/** The first moment after `end`: a bare end date includes its whole UTC day. */
export function endOf(end: string): Date {
  const time = new Date(end);
  return DATE.test(end) ? new Date(time.getTime() + 86_400_000) : new Date(time.getTime() + 1);
}
