import { EventSourceClient } from '../../support/event-source';
import { eventually } from '../../support/eventually';
import { startTestGateway, type TestGateway } from '../../support/gateway';

describe('streams of events of two instances on one PostgreSQL', () => {
  let first: TestGateway;
  let second: TestGateway;

  beforeAll(async () => {
    first = await startTestGateway();
    second = await startTestGateway({ databaseUrl: first.databaseUrl });
    const limits = { rate_limits: { messages_per_minute: 100_000 } };
    await first.api('PATCH', '/admin/settings', limits, { key: first.testKey });
  });

  it('get each event of either instance once', async () => {
    const streams = [
      await EventSourceClient.open(first.url, first.testKey),
      await EventSourceClient.open(second.url, first.testKey),
    ];
    const send = (gateway: TestGateway, index: number) =>
      gateway.api(
        'POST',
        '/messages/send',
        { platform: 'telegram', recipient: String(index % 7), message: `Message ${index}` },
        { key: first.testKey },
      );
    await Promise.all(Array.from({ length: 100 }, (_, index) => send(index % 2 ? first : second, index)));
    await eventually('both have all', () => {
      for (const { events } of streams) expect(events.length).toBeGreaterThanOrEqual(200);
    });
    for (const { ids } of streams) expect([ids.length, new Set(ids).size]).toEqual([200, 200]);
    for (const stream of streams) stream.close();
  });

  it('resume on the other instance', async () => {
    const stream = await EventSourceClient.open(first.url, first.testKey);
    const send = (gateway: TestGateway, message: string) =>
      gateway.api('POST', '/messages/send', { platform: 'telegram', recipient: '1', message }, { key: first.testKey });
    await send(second, 'seen');
    await eventually('it has both events', () => expect(stream.types).toEqual(['message.sent', 'message.delivered']));
    stream.close();
    const { body } = await send(first, 'missed');
    const { message_id } = body.data as { message_id: string };
    const resumed = await EventSourceClient.open(second.url, first.testKey, undefined, {
      'last-event-id': stream.ids[1]!,
    });
    await eventually('it has what was missed', () =>
      expect(resumed.events.filter(({ data }) => data.includes(message_id))).toHaveLength(2),
    );
    resumed.close();
  });
});
