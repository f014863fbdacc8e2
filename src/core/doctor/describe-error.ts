/** The error's message in one line; if it is empty (several addresses were tried), that of its first cause. */
export function describeError(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return describeError(error.errors[0]);
  const { message, code, name } = error as { message?: string; code?: string; name?: string };
  return message || code || name || 'unknown error';
}
