import { createHmac } from 'node:crypto';
import { Agent } from 'undici';
import type { BareEvent } from '../bare/bare-events';
import { AT_ONCE, SECRET } from './bodies';

const agent = new Agent({ pipelining: 1, connections: AT_ONCE });

/** Posts an event as https://www.standardwebhooks.com has it. @throws unless it is taken */
export async function postEvent(receiver: string, { id, body }: BareEvent): Promise<void> {
  const timestamp = Math.floor(Date.now() / 1_000);
  const signature = createHmac('sha256', SECRET).update(`${id}.${timestamp}.${body}`).digest('base64');
  const headers = {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': `v1,${signature}`,
  };
  const answer = await agent.request({ origin: receiver, path: '/', method: 'POST', headers, body });
  await answer.body.text();
  if (answer.statusCode !== 200) throw new Error(`The receiver answered ${answer.statusCode}`);
}
