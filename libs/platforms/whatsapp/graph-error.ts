import { withoutStop } from '../refusal';

/** The Graph API refused: https://developers.facebook.com/docs/whatsapp/cloud-api/support/error-codes */
export class GraphError extends Error {
  constructor(
    readonly status: number,
    /** WhatsApp's own code, which tells cases apart; the HTTP status where it gave none. */
    readonly code: number,
    readonly subcode: number | undefined,
    /** The error's message and details, if any. Never the token. */
    message: string,
    /** From `Retry-After`, in milliseconds. */
    readonly retryAfterMs: number | undefined,
  ) {
    super(message);
    this.name = GraphError.name;
  }
}

/** An error as answers and failed statuses carry it. */
export interface ErrorObject {
  code?: unknown;
  error_subcode?: unknown;
  title?: unknown;
  message?: unknown;
  error_data?: { details?: unknown } | null;
}

export function wordsOf({ title, message, error_data: data }: ErrorObject): string {
  const said = [message, title].find((words) => typeof words === 'string' && words !== '');
  const details = typeof data?.details === 'string' && data.details !== said ? data.details : undefined;
  return (
    [said, details]
      .filter(Boolean)
      .map((words) => withoutStop(String(words)))
      .join(': ') || 'no description'
  );
}
