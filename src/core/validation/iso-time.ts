/** The form of an ISO 8601 date or timestamp, for the document. */
export const ISO_TIME_PATTERN = String.raw`^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2}))?$`;

const ISO_TIME = new RegExp(ISO_TIME_PATTERN);
const DATE = /^\d{4}-\d{2}-\d{2}$/;

/** Whether a value is an ISO 8601 date or timestamp; a bare date is read as UTC. */
export function isIsoTime(text: unknown): text is string {
  if (typeof text !== 'string' || !ISO_TIME.test(text)) return false;
  const time = new Date(text);
  if (Number.isNaN(time.getTime())) return false;
  // `new Date` rolls some impossible days over: 2025-02-30 would become March 2.
  const day = new Date(`${text.slice(0, 10)}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text.slice(0, 10));
}

/** The first moment that `end` excludes: a bare end date includes its whole UTC day. */
export function endOf(end: string): Date {
  const time = new Date(end);
  return DATE.test(end) ? new Date(time.getTime() + 86_400_000) : new Date(time.getTime() + 1);
}
