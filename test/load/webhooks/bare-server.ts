import { Agent } from 'undici';
import { newUuid } from '#contracts';
import { domainEvent } from '../../../src/core/events/domain-event';
import { attemptHeaders } from '../../../src/webhooks/dispatch/attempt-headers';
import { AT_ONCE, SECRET, SENT } from './bodies';
import { listen } from './control-server';

/** A bare undici loop: signs and posts the same bodies, and keeps no record. */
const agent = new Agent({ pipelining: 1, connections: AT_ONCE });
const receiver = process.env['RECEIVER']!;

async function post(): Promise<void> {
  const now = Date.now();
  const { id, type, body } = domainEvent('message.sent', SENT, now);
  const headers = attemptHeaders({
    eventId: id,
    eventType: type,
    deliveryId: newUuid(now),
    body,
    secret: SECRET,
    previousSecret: undefined,
    now,
  });
  const answer = await agent.request({ origin: receiver, path: '/', method: 'POST', headers, body });
  await answer.body.text();
  if (answer.statusCode !== 200) throw new Error(`The receiver answered ${answer.statusCode}`);
}

listen({
  deliver: async ({ count = 0 }) => {
    let left = count;
    const loop = async () => {
      while (left-- > 0) await post();
    };
    await Promise.all(Array.from({ length: AT_ONCE }, loop));
  },
});
