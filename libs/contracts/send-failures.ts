/** One vocabulary of send failures, whatever the platform calls them. `retryable`: sending the same again may work. */
export const SEND_FAILURES = {
  recipient_unreachable: {
    retryable: false,
    message: 'The platform does not know this recipient, or cannot reach it.',
  },
  blocked_by_recipient: { retryable: false, message: 'The recipient has blocked the account.' },
  window_closed: { retryable: false, message: 'The platform accepts free text only within its reply window.' },
  content_rejected: { retryable: false, message: 'The platform rejected the content of the message.' },
  attachment_unavailable: { retryable: true, message: 'A file of the message could not be fetched.' },
  not_permitted: { retryable: false, message: 'The account is not allowed to write to this recipient.' },
  rate_limited: { retryable: true, message: 'The platform limits how fast messages may be sent.' },
  platform_unavailable: { retryable: true, message: 'The platform was unreachable or returned an error.' },
  taken_over: {
    retryable: false,
    message: 'A person took over the conversation, or was requested, before the assistant’s message was sent.',
  },
  opted_out: {
    retryable: false,
    message: 'The person has stopped marketing messages from the business.',
  },
  auth_failed: {
    retryable: false,
    message: 'The platform rejected the credentials of the account.',
  },
  expired: {
    retryable: true,
    message: 'The scheduled message could not be sent within an hour of its scheduled time.',
  },
  erased: { retryable: false, message: 'The conversation was erased before the message was sent.' },
  ambiguous: {
    retryable: true,
    message:
      'The platform may have accepted the message, but its response never arrived. The message was not sent again.',
  },
} as const satisfies Record<string, { retryable: boolean; message: string }>;

export type SendFailureCode = keyof typeof SEND_FAILURES;

/** Why a message failed, as shown in `error` of a message, a send result and `message.failed`. */
export interface SendFailure {
  code: SendFailureCode;
  message: string;
  /** The platform's own code, as a string; null where it gave none. */
  platform_code: string | null;
  retryable: boolean;
  /** With `window_closed`: names of up to three templates that can be sent instead. */
  templates?: string[];
}

/** @param platformCode the platform's own code, if it gave one */
export function sendFailure(code: SendFailureCode, platformCode: string | null = null): SendFailure {
  const { message, retryable } = SEND_FAILURES[code];
  return { code, message, platform_code: platformCode, retryable };
}
