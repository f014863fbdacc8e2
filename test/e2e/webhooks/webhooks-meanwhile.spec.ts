import type { ServerResponse } from 'node:http';
import { Outage } from '../../../src/core/database/outage.service';
import { LOCAL_RECEIVERS, ReceiverFake, type Reaction } from '../../fakes/receiver.fake';
import { eventually } from '../../support/eventually';
import { expectedError } from '../../support/expected';
import { useGateway } from '../../support/gateway';

/** More than a caller waits for the record of a test delivery. */
const WITHIN_MS = 8_000;

describe('a change during an attempt', () => {
  const gateway = useGateway({
    env: { ...LOCAL_RECEIVERS, WEBHOOK_RETRY_SCHEDULE: '0,0,0,0,0' },
  });
  let receiver: ReceiverFake;

  beforeAll(async () => {
    receiver = await new ReceiverFake().start();
  });

  const api = <Data = unknown>(method: string, path: string, body?: unknown) =>
    gateway.api<Data>(method, path, body, { key: gateway.testKey });
  const register = async (path: string): Promise<string> => {
    const webhook = { url: receiver.url(path), events: ['message.sent'] };
    return (await api<{ id: string }>('POST', '/webhooks', webhook)).body.data.id;
  };
  const send = () => api('POST', '/messages/send', { platform: 'telegram', recipient: 'ada', message: 'hello' });
  const statusOf = async (id: string) => (await api<{ status: string }>('GET', `/webhooks/${id}`)).body.data.status;
  const recorded = (id: string, count: number) =>
    eventually(`${count} attempts are recorded`, async () => {
      expect((await api<unknown[]>('GET', `/webhooks/${id}/deliveries`)).body.data).toHaveLength(count);
    });
  /** Keeps what arrives waiting for its answer. */
  const hold = (path: string): ServerResponse[] => {
    const held: ServerResponse[] = [];
    receiver.react((_, response) => void held.push(response), path);
    return held;
  };

  it('of the URL prevents the former URL from disabling the webhook', async () => {
    const id = await register('/former');
    const held = hold('/former');
    await send();
    await receiver.received(1, '/former');
    await api('PATCH', `/webhooks/${id}`, { url: receiver.url('/new') });
    held[0]!.writeHead(410).end();
    await recorded(id, 1);
    expect(await statusOf(id)).toBe('active');
    await send();
    await receiver.received(1, '/new');
    await api('DELETE', `/webhooks/${id}`);
  });

  it('that enables the webhook restarts its retries instead of failing it again', async () => {
    const id = await register('/enabled');
    const held: ServerResponse[] = [];
    const failures = new Map<string, number>();
    // By event: the last retry of one may come before the first attempt of the other is answered.
    const failThenHold: Reaction = (_, response, { event }) => {
      const failed = failures.get(event.id) ?? 0;
      if (failed === 5) held.push(response);
      else response.writeHead(500).end();
      failures.set(event.id, Math.min(5, failed + 1));
    };
    receiver.react(failThenHold, '/enabled');
    await Promise.all([send(), send()]);
    await recorded(id, 10);
    const posts = await receiver.received(12, '/enabled');
    held[0]!.writeHead(500).end();
    await eventually('the webhook has failed', async () => expect(await statusOf(id)).toBe('failed'));
    receiver.react(200, '/enabled');
    await api('PATCH', `/webhooks/${id}`, { enabled: true });
    held[1]!.writeHead(500).end();
    await recorded(id, 13);
    expect(receiver.postsTo('/enabled')[12]!.event.id).toBe(posts[11]!.event.id);
    expect(await statusOf(id)).toBe('active');
    expect(await gateway.sql('SELECT 1 FROM mail_outbox')).toHaveLength(1);
    await api('DELETE', `/webhooks/${id}`);
  });

  it('does not delay the response to a test delivery, which is recorded later', async () => {
    const id = await register('/test');
    const outage = gateway.app.get(Outage);
    receiver.react((_, response) => {
      outage.begin();
      response.end();
    }, '/test');
    const startedAt = performance.now();
    const { status, body } = await api('POST', `/webhooks/${id}/test`);
    expect({ status, body }).toEqual(expectedError('INTERNAL_ERROR', null));
    expect(performance.now() - startedAt).toBeLessThan(WITHIN_MS);
    outage.end();
    await recorded(id, 1);
  });
});
