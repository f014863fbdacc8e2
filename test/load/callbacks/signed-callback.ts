import { createHmac } from 'node:crypto';
import type { WhatsAppFake } from '../../fakes/whatsapp.fake';

/** The request that reports a change to the gateway, as Meta signs it. */
export function signedCallback(whatsapp: WhatsAppFake, value: Parameters<WhatsAppFake['notification']>[0]) {
  const body = JSON.stringify(whatsapp.notification(value));
  const signature = createHmac('sha256', whatsapp.account.appSecret).update(body).digest('hex');
  const headers = { 'content-type': 'application/json', 'x-hub-signature-256': `sha256=${signature}` };
  return { method: 'POST' as const, path: '/callbacks/whatsapp', headers, body };
}
