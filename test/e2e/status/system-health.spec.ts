import type { EventPayload } from '#contracts';
import { TelegramFake } from '../../fakes/telegram.fake';
import { eventually } from '../../support/eventually';
import { startTestGateway, type TestGateway } from '../../support/gateway';

async function healthEvents(gateway: TestGateway): Promise<EventPayload<'system.health'>[]> {
  const rows = await gateway.sql<{ body: string }>(
    `SELECT body FROM events WHERE type = 'system.health' AND environment = 'live' ORDER BY created_at, id`,
  );
  return rows.map(({ body }) => JSON.parse(body) as EventPayload<'system.health'>);
}

describe('system.health', () => {
  it('is sent only when the overall status changes', async () => {
    const telegram = await new TelegramFake().start();
    const gateway = await startTestGateway({ telegram });
    const settled = () =>
      eventually(
        'the health is known and healthy',
        async () => {
          const rows = await gateway.sql(`SELECT status FROM health_states WHERE environment = 'live'`);
          expect(rows).toEqual([{ status: 'healthy' }]);
        },
        { timeoutMs: 15_000 },
      );
    await settled();
    const before = (await healthEvents(gateway)).length;

    await telegram.stop();
    const degraded = await eventually(
      'it is degraded',
      async () => {
        const events = (await healthEvents(gateway)).slice(before);
        expect(events).toHaveLength(1);
        return events[0]!;
      },
      { timeoutMs: 25_000 },
    );
    expect(degraded.data).toMatchObject({
      environment: 'live',
      status: 'degraded',
      previous_status: 'healthy',
      components: { database: 'healthy', cache: 'healthy', ai_provider: expect.any(String) },
    });
    await telegram.start();
    await settled();
    const events = (await healthEvents(gateway)).slice(before);
    expect(events.map(({ data }) => [data.previous_status, data.status])).toEqual([
      ['healthy', 'degraded'],
      ['degraded', 'healthy'],
    ]);
    await gateway.stop();
    await telegram.stop();
  }, 90_000);
});
