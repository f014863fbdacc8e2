import type { SendFailureCode } from '#contracts';

interface Meaning {
  failure: SendFailureCode;
  /** Advice for the operator, where WhatsApp's own words give none. */
  advice?: string;
  /** It is about our account, not about the recipient. */
  concernsAccount?: boolean;
  /** How long to wait before the same send is tried again, in milliseconds, if a short wait helps. */
  retryAfterMs?: number;
}

const TOKEN: Meaning = { failure: 'auth_failed', advice: 'Check the access token', concernsAccount: true };
const PERMISSION: Meaning = {
  failure: 'not_permitted',
  advice: 'The access token needs the permission whatsapp_business_messaging for this number',
  concernsAccount: true,
};
const FAULT: Meaning = { failure: 'platform_unavailable' };
const BAD_REQUEST: Meaning = { failure: 'content_rejected' };
const ACCOUNT: Meaning = {
  failure: 'not_permitted',
  advice: 'See the account’s quality and policy in WhatsApp Manager',
  concernsAccount: true,
};
const POLICY: Meaning = { failure: 'not_permitted' };

/** https://developers.facebook.com/docs/whatsapp/cloud-api/support/error-codes */
const MEANINGS: Readonly<Record<number, Meaning>> = {
  0: TOKEN,
  1: FAULT,
  2: FAULT,
  3: PERMISSION,
  4: { failure: 'rate_limited', retryAfterMs: 60_000 },
  10: PERMISSION,
  33: { failure: 'not_permitted', advice: 'Check the phone number id', concernsAccount: true },
  100: BAD_REQUEST,
  190: TOKEN,
  368: ACCOUNT,
  80007: { failure: 'rate_limited', retryAfterMs: 60_000 },
  // 80 messages a second for each number (1,000 after an upgrade).
  130429: { failure: 'rate_limited', retryAfterMs: 1_000 },
  130472: POLICY,
  130497: ACCOUNT,
  131000: FAULT,
  131005: PERMISSION,
  131008: BAD_REQUEST,
  131009: BAD_REQUEST,
  131016: FAULT,
  131021: { failure: 'recipient_unreachable', advice: 'The recipient is the business number itself' },
  131026: {
    failure: 'recipient_unreachable',
    advice: 'Not on WhatsApp, an old version of it, its new terms not accepted, or this business blocked',
  },
  131030: { failure: 'not_permitted', advice: 'Add the recipient to the test number’s list of allowed recipients' },
  131031: ACCOUNT,
  131037: ACCOUNT,
  131042: { failure: 'not_permitted', advice: 'Check the account’s payment method', concernsAccount: true },
  131045: { failure: 'not_permitted', advice: 'Register the phone number', concernsAccount: true },
  131047: {
    failure: 'window_closed',
    advice: 'The recipient last wrote more than 24 hours ago: only an approved template reaches them until they write',
  },
  // Quality-based, for hours or days: waiting inside a send would not help.
  131048: { failure: 'rate_limited', advice: 'Too many earlier messages were blocked or marked as spam' },
  131049: POLICY,
  131050: { failure: 'opted_out' },
  131051: BAD_REQUEST,
  131052: BAD_REQUEST,
  131053: BAD_REQUEST,
  132000: { failure: 'content_rejected', advice: 'The template was changed: refresh it with POST /templates/sync' },
  132001: { failure: 'content_rejected', advice: 'The template does not exist, or is not approved, in this language' },
  132005: BAD_REQUEST,
  132007: POLICY,
  132012: { failure: 'content_rejected', advice: 'A template parameter has the wrong format' },
  132015: { failure: 'not_permitted', advice: 'The template is paused for its low quality: change it, or wait' },
  132016: { failure: 'not_permitted', advice: 'The template was paused too often and is disabled: make a new one' },
  // One message every six seconds to the same person.
  131056: { failure: 'rate_limited', retryAfterMs: 6_000 },
  131057: FAULT,
  131062: { failure: 'recipient_unreachable' },
  133004: FAULT,
  133010: { failure: 'not_permitted', advice: 'Register the phone number', concernsAccount: true },
  135000: BAD_REQUEST,
};

/**
 * The meaning of a code. The HTTP status decides for an unknown code.
 * @param status HTTP status; undefined for the errors of a failed status, which come without one
 */
export function meaningOf(code: number, status?: number): Meaning {
  const known = MEANINGS[code];
  if (known) return known;
  if (code >= 200 && code <= 299) return PERMISSION;
  if (code >= 132_000 && code <= 132_999) return BAD_REQUEST;
  if (status === 429) return { failure: 'rate_limited', retryAfterMs: 1_000 };
  if (status === 401) return TOKEN;
  if (status === 403) return PERMISSION;
  return status !== undefined && status >= 400 && status < 500 ? BAD_REQUEST : FAULT;
}

export function refusesToken(code: number, status: number): boolean {
  return meaningOf(code, status) === TOKEN;
}

/** Whether the token or its permissions are the cause, so that a retry cannot help. */
export function isFatal(code: number, status: number): boolean {
  const meaning = meaningOf(code, status);
  return meaning === TOKEN || meaning === PERMISSION || code === 33;
}
