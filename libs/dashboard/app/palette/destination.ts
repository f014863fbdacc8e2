import type { LinkProps } from '@tanstack/react-router';

/** A place in the dashboard, with its title. */
export interface Destination {
  title: string;
  hint?: string;
  link: Pick<LinkProps, 'to' | 'params' | 'search'>;
}

const ID = /^(?<prefix>msg|conv|evt|req|wh|tool|del|key|acc|bak|aud|prob)_[0-9a-hjkmnp-tv-z]{26}$/;
/** "+49 170 123-4567": digits and common separators. */
const PHONE = /^\+?\d[\d\s()./-]{5,}\d$/;

/** Prefix of an id → its page. */
const PAGES: Readonly<Record<string, (id: string) => Destination>> = {
  msg: (id) => ({
    title: 'What happened to the message',
    link: { to: '/messages/$messageId', params: { messageId: id } },
  }),
  conv: (id) => ({
    title: 'Open the conversation',
    link: { to: '/conversations/$conversationId', params: { conversationId: id } },
  }),
  evt: (id) => ({ title: 'Open the event', link: { to: '/events/$eventId', params: { eventId: id } } }),
  req: (id) => ({ title: 'Find the request in the audit log', link: { to: '/audit-log', search: { request_id: id } } }),
  wh: (id) => ({ title: 'Open the webhook', link: { to: '/webhooks/$webhookId', params: { webhookId: id } } }),
  tool: (id) => ({ title: 'Open the tool', link: { to: '/tools/$toolId', params: { toolId: id } } }),
  del: (id) => ({ title: 'Open the delivery', link: { to: '/deliveries/$deliveryId', params: { deliveryId: id } } }),
  key: (id) => ({ title: 'Open the API key', link: { to: '/api-keys/$keyId', params: { keyId: id } } }),
  acc: (id) => ({ title: 'Open the account', link: { to: '/accounts/$accountId', params: { accountId: id } } }),
  bak: () => ({ title: 'Open the backups', link: { to: '/system' } }),
  prob: () => ({ title: 'Open the problems', link: { to: '/' } }),
};

/** The destination of an id or a phone number; undefined for other texts. */
export function destinationOf(text: string): Destination | undefined {
  const id = text.trim();
  const page = PAGES[ID.exec(id)?.groups?.['prefix'] ?? ''];
  if (page) return { ...page(id), hint: id };
  if (!PHONE.test(id)) return undefined;
  const number = id.replace(/\D/g, '');
  return {
    title: `Find the number ${id}`,
    hint: 'Conversations',
    link: { to: '/conversations', search: { q: number } },
  };
}
