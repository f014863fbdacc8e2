import { Agent } from 'undici';
import { newUuid } from '#contracts';
import { domainEvent, type DomainEvent } from '../../../src/core/events/domain-event';
import { attemptHeaders } from '../../../src/webhooks/dispatch/attempt-headers';
import { AT_ONCE, SECRET, SENT } from './bodies';
import { listen } from './control-server';

/** A bare undici loop: signs and posts the same bodies, and keeps no record. */
const agent = new Agent({ pipelining: 1, connections: AT_ONCE });
const receiver = process.env['RECEIVER']!;

let prepared: DomainEvent[] = [];

async function post({ id, type, body }: DomainEvent): Promise<void> {
  const now = Date.now();
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
  prepare: ({ count = 0 }) => {
    prepared = Array.from({ length: count }, () => domainEvent('message.sent', SENT, Date.now()));
    return Promise.resolve();
  },
  deliver: async () => {
    const loop = async () => {
      for (let event; (event = prepared.pop());) await post(event);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, loop));
  },
});
