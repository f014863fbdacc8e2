/** What an error says, in one line; where it says nothing (several addresses were tried), what the first of its causes does. */
export function describeError(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return describeError(error.errors[0]);
  const { message, code, name } = error as { message?: string; code?: string; name?: string };
  return message || code || name || 'unknown error';
}
