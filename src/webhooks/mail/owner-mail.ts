import { toPublicId } from '#contracts';

/** The kind of due work that sends mail. */
export const OWNER_MAIL = 'owner-mail';

export interface FailedWebhook {
  webhookId: string;
  url: string;
  eventId: string;
  /** The time since which the event could not be delivered. */
  since: Date;
  attempts: number;
  lastError: string;
}

export function failureNotice(webhook: FailedWebhook): { subject: string; text: string } {
  const { webhookId, url, eventId, since, attempts, lastError } = webhook;
  const id = toPublicId('webhook', webhookId);
  return {
    subject: `Webhook ${id} has failed`,
    text: `The webhook ${id} no longer receives events: its receiver rejected an event in ${attempts} attempts.

  Webhook:      ${id}
  URL:          ${url}
  Event:        ${toPublicId('event', eventId)}
  Since:        ${since.toISOString()}
  Last error:   ${lastError}

Nothing is lost: events are kept, and can be sent again. When the receiver works again,

1. enable the webhook:
   PATCH /api/v1/webhooks/${id}
   {"enabled": true}

2. have it sent what it missed:
   POST /api/v1/webhooks/${id}/replay
   {"since": "${since.toISOString()}"}
`,
  };
}
