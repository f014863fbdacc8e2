import type { FakeFile } from './fake-files';

export interface SentMedia extends FakeFile {
  kind: string;
  voice: boolean;
}

/** A message that WhatsApp accepted. */
export interface WhatsAppSent {
  id: string;
  /** The phone number, or the user id. */
  to: string;
  /** The text, or the caption of a file, as the recipient sees it: without markup. */
  text: string;
  file?: SentMedia;
  formatted: boolean;
  repliesTo: string | undefined;
  previewUrl: boolean;
  callbackData: string | undefined;
  /** The call's raw body. */
  params: Record<string, unknown>;
  at: Date;
}

export interface WhatsAppReceived {
  /** Phone number; absent for a person who shows only a user name. */
  from?: string;
  userId?: string;
  name?: string;
  username?: string;
  text: string;
}

export type WhatsAppStatus = 'sent' | 'delivered' | 'read' | 'played' | 'failed';

export interface StatusDetails {
  at?: Date;
  /** The error code of a failure. */
  code?: number;
}

/** The `value` of a webhook change. */
export type ChangeValue = Record<string, unknown>;

/** A refusal in the Graph API's format. */
export class WhatsAppFailure extends Error {
  constructor(
    readonly status: number,
    readonly code: number,
    readonly title: string,
    readonly details?: string,
    readonly subcode?: number,
  ) {
    super(title);
  }

  /** The `error` field of an answer: https://developers.facebook.com/docs/whatsapp/cloud-api/support/error-codes */
  get error(): Record<string, unknown> {
    return {
      message: `(#${this.code}) ${this.title}`,
      type: this.status === 401 ? 'OAuthException' : 'GraphMethodException',
      code: this.code,
      ...(this.subcode !== undefined && { error_subcode: this.subcode }),
      ...(this.details && { error_data: { messaging_product: 'whatsapp', details: this.details } }),
      fbtrace_id: 'AXkL1YJtqTfq3nkzHvNvHRG',
    };
  }
}

/** HTTP status and title of the codes that tests use; all others have 400. */
export const KNOWN_CODES: Readonly<Record<number, [status: number, title: string]>> = {
  0: [401, 'AuthException'],
  1: [500, 'API Unknown'],
  4: [400, 'API Too Many Calls'],
  10: [403, 'Permission Denied'],
  100: [400, 'Invalid parameter'],
  190: [401, 'Error validating access token: the session has expired'],
  200: [403, 'API Permission'],
  368: [403, 'Temporarily blocked for policies violations'],
  80007: [400, 'Rate limit issues'],
  130429: [400, 'Rate limit hit'],
  130497: [403, 'Business account is restricted from messaging users in this country'],
  131000: [500, 'Something went wrong'],
  131026: [400, 'Message undeliverable'],
  131047: [400, 'Re-engagement message'],
  131048: [400, 'Spam rate limit hit'],
  131049: [400, 'Meta chose not to deliver'],
  131050: [400, 'Marketing messages stopped by the user'],
  132000: [400, 'Template param count mismatch'],
  132001: [404, 'Template does not exist'],
  132012: [400, 'Template parameter format mismatch'],
  132015: [400, 'Template is paused'],
  132016: [400, 'Template is disabled'],
  131056: [400, '(Business Account, Consumer Account) pair rate limit hit'],
};
