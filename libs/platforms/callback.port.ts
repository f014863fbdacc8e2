export interface CallbackHead {
  method: 'GET' | 'POST';
  query: Readonly<Record<string, string | undefined>>;
  headers: Readonly<Record<string, string | string[] | undefined>>;
}
export interface CallbackRequest extends CallbackHead {
  /** The exact bytes received. */
  rawBody: Buffer;
  /** How the account shares the callback; missing: no other account gets it. */
  shared?: SharedCallback;
}

export interface CallbackResponse {
  status: 200 | 401 | 403 | 404 | 503;
  body: string;
}

/** A callback that may be for several accounts of a platform. */
export interface SharedCallback {
  /** Whether no account has a number, and this account is the one that reports it. */
  isUnknown: (number: string) => boolean;
  /** Whether this account gets what names no number. @param businessAccountId if the notification names it */
  takes: (businessAccountId: string | undefined) => boolean;
}
