import { Client } from 'pg';
import { fromPublicId } from '#contracts';
import { LiveFeed } from '../../../src/live/live-feed.service';
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

  const send = (gateway: TestGateway, message: string, recipient = 1) =>
    gateway.api(
      'POST',
      '/messages/send',
      { platform: 'telegram', recipient: String(recipient), message },
      { key: first.testKey },
    );

  it('cost nothing before the first opens: no instance remembers or announces an event', async () => {
    const listener = new Client(first.databaseUrl).on('error', () => undefined);
    const announced: string[] = [];
    listener.on('notification', ({ payload }) => {
      if (payload!.startsWith('events:')) announced.push(...payload!.slice('events:'.length).split(','));
    });
    await listener.connect();
    await listener.query('LISTEN gateway');
    const feeds = [first, second].map(({ app }) => app.get(LiveFeed));
    for (let count = 0; count < 10; count++) await send(first, `unseen ${count}`);
    await eventually('the events of all are stored', async () =>
      expect(await first.sql(`SELECT FROM events WHERE type LIKE 'message.%'`)).toHaveLength(20),
    );
    expect(feeds.map((feed) => feed['seen'])).toEqual([undefined, undefined]);

    const stream = await EventSourceClient.open(second.url, first.testKey);
    // Nor does the search bring what was committed before.
    await feeds[1]!['search']();
    await send(first, 'seen');
    await eventually('it has both events', () => expect(stream.types).toEqual(['message.sent', 'message.delivered']));
    await eventually('they were announced', () =>
      expect(announced).toEqual(stream.ids.map((id) => fromPublicId('event', id))),
    );
    expect(feeds[0]!['seen']).toBeUndefined();
    stream.close();
    await eventually('the ids are forgotten', () => expect(feeds[1]!['seen']).toBeUndefined());
    await listener.end();
  });

  it('have each event of either instance once', async () => {
    const streams = [
      await EventSourceClient.open(first.url, first.testKey),
      await EventSourceClient.open(second.url, first.testKey),
    ];
    const sendOne = (_: unknown, index: number) => send(index % 2 ? first : second, `Message ${index}`, index % 7);
    await Promise.all(Array.from({ length: 100 }, sendOne));
    await eventually('both have all', () => {
      for (const { events } of streams) expect(events.length).toBeGreaterThanOrEqual(200);
    });
    for (const { ids } of streams) expect([ids.length, new Set(ids).size]).toEqual([200, 200]);
    for (const stream of streams) stream.close();
  });

  it('can be resumed on the other instance', async () => {
    const stream = await EventSourceClient.open(first.url, first.testKey);
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
