import { createHmac } from 'node:crypto';
import { Agent } from 'undici';
import type { BareEvent } from '../bare/bare-events';
import { AT_ONCE, SECRET } from './bodies';

const agent = new Agent({ pipelining: 1, connections: AT_ONCE });

/**
 * Posts an event with the signature of https://www.standardwebhooks.com and the gateway's own.
 * @throws unless the receiver answers 200
 */
export async function postEvent(receiver: URL, { id, body }: BareEvent): Promise<void> {
  const timestamp = Math.floor(Date.now() / 1_000);
  const own = createHmac('sha256', SECRET).update(body).digest('hex');
  const standard = createHmac('sha256', SECRET).update(`${id}.${timestamp}.${body}`).digest('base64');
  const headers = {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': `v1,${standard}`,
    'x-service-signature': `sha256=${own}`,
  };
  const answer = await agent.request({
    origin: receiver.origin,
    path: receiver.pathname,
    method: 'POST',
    headers,
    body,
  });
  await answer.body.text();
  if (answer.statusCode !== 200) throw new Error(`The receiver answered ${answer.statusCode}`);
}
