import { createHmac } from 'node:crypto';
import { isEqualInConstantTime } from '#contracts';
import type { CallbackHead, CallbackRequest, CallbackResponse } from '../../platform.port';
import type { WhatsAppAccount } from '../whatsapp.options';

/** The handshake by which Meta proves that the callback is ours: https://developers.facebook.com/docs/graph-api/webhooks/getting-started */
export function handshake({ query }: CallbackRequest, { verifyToken }: WhatsAppAccount): CallbackResponse {
  const { 'hub.mode': mode, 'hub.verify_token': token, 'hub.challenge': challenge } = query;
  const isOurs = mode === 'subscribe' && typeof token === 'string' && isEqualInConstantTime(token, verifyToken);
  // A parameter given twice arrives as a list.
  return isOurs && typeof challenge === 'string' ? { status: 200, body: challenge } : { status: 403, body: '' };
}

/** Whether a notification has a signature, be it right or wrong. */
export function isSigned({ headers }: CallbackHead): boolean {
  const given = headers['x-hub-signature-256'];
  return typeof given === 'string' && /^sha256=[\da-f]{64}$/.test(given);
}

/** Whether a notification was signed with the app's secret, over exactly the bytes that arrived. */
export function authenticates({ headers, rawBody }: CallbackRequest, { appSecret }: WhatsAppAccount): boolean {
  const given = headers['x-hub-signature-256'];
  const expected = `sha256=${createHmac('sha256', appSecret).update(rawBody).digest('hex')}`;
  return typeof given === 'string' && isEqualInConstantTime(given, expected);
}
