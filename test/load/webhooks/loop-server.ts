import { bareEvent, type BareEvent } from '../bare/bare-events';
import { AT_ONCE, SENT } from './bodies';
import { postEvent } from './bare-post';
import { listen } from './control-server';

/** Signs and posts the same bodies without any record: no durability. */
const receiver = new URL(process.env['RECEIVER']!);

let prepared: BareEvent[] = [];

listen({
  prepare: ({ count = 0 }) => {
    prepared = Array.from({ length: count }, () => bareEvent('message.sent', new Date(), SENT));
    return Promise.resolve();
  },
  deliver: async () => {
    const loop = async () => {
      for (let event; (event = prepared.pop());) await postEvent(receiver, event);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, loop));
  },
});
