import { EventSourceClient } from '../../support/event-source';
import { useGateway } from '../../support/gateway';
import { expectAtMost } from '../../hostile/figures';

const KEYS = 60;
const STREAMS_OF_A_KEY = 10;

// Addresses have limits of their own: here many addresses work together.
const gateway = useGateway({ env: { MAX_CONNECTIONS_PER_ADDRESS: '2000' } });
const clients: EventSourceClient[] = [];

afterAll(() => clients.forEach((client) => client.close()));

it('60 test keys that ask for 600 streams of events get 500, and a live key still gets its stream', async () => {
  const keys: string[] = [];
  for (let count = 0; count < KEYS; count += 1)
    keys.push(await gateway.createKey({ environment: 'test', scopes: ['read:messages'] }));
  for (const key of keys) {
    const opened = Array.from({ length: STREAMS_OF_A_KEY }, () => EventSourceClient.open(gateway.url, key));
    clients.push(...(await Promise.all(opened)));
  }
  expectAtMost({
    name: 'streams of events of 60 test keys',
    value: clients.filter(({ status }) => status === 200).length,
    unit: 'streams',
    most: 500,
  });
  const refused = clients.find(({ status }) => status !== 200)!;
  const { error } = await refused.refusal();
  expect([refused.status, error.code, error.details['limit']]).toEqual([429, 'RATE_LIMIT_EXCEEDED', 500]);
  const live = await EventSourceClient.open(gateway.url, gateway.liveKey);
  clients.push(live);
  expect(live.status).toBe(200);
});
