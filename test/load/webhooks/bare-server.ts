import { Pool } from 'pg';
import { bareEvent, type BareEvent } from '../bare/bare-events';
import { SENT } from './bodies';
import { listen } from './control-server';
import { BareDispatch } from './bare-dispatch';

/** A dispatcher as a developer who knows undici and pg well would write it from scratch: it loses no delivery. */
const pool = new Pool({ connectionString: process.env['DATABASE_URL'], max: 20 });
const dispatch = new BareDispatch(pool, process.env['RECEIVERS']!.split(' '));

let prepared: BareEvent[] = [];

void dispatch.prepare().then(() =>
  listen({
    prepare: ({ count = 0 }) => {
      prepared = Array.from({ length: count }, () => bareEvent('message.sent', new Date(), SENT));
      return Promise.resolve();
    },
    deliver: () => dispatch.deliver(prepared.splice(0)),
  }),
);
