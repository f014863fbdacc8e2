import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fromPublicId, newUuid, toPublicId } from '#contracts';
import type { ProblemDto } from '../../../src/status/problems/problem.dto';
import type { ProblemKind } from '../../../src/status/problems/problem';
import { AnthropicFake } from '../../fakes/anthropic.fake';
import { LOCAL_RECEIVERS, ReceiverFake } from '../../fakes/receiver.fake';
import { TelegramFake } from '../../fakes/telegram.fake';
import { eventually } from '../../support/eventually';
import { anId, aTimestamp, expectedError, expectedSuccess } from '../../support/expected';
import { startTestGateway, type TestGateway } from '../../support/gateway';
import { png } from '../../support/png';

describe('GET /problems', () => {
  let gateway: TestGateway;
  let anthropic: AnthropicFake;
  let telegram: TelegramFake;
  let receiver: ReceiverFake;

  beforeAll(async () => {
    anthropic = await new AnthropicFake().start();
    telegram = await new TelegramFake().start();
    receiver = await new ReceiverFake().start();
    const folder = await mkdtemp(join(tmpdir(), 'problems-'));
    await writeFile(join(folder, 'file'), '');
    gateway = await startTestGateway({
      anthropic,
      telegram,
      telegramTimings: { pollSeconds: 1, pauseMs: 20, webhookCheckMs: 30 },
      env: { ...LOCAL_RECEIVERS, BACKUP_DIR: join(folder, 'file', 'folder') },
    });
    await gateway.connected('telegram');
  });
  afterEach(() => anthropic.clearFaults());

  const list = async (key = gateway.liveKey, query = '') =>
    (await gateway.api<ProblemDto[]>('GET', `/problems${query}`, undefined, { key })).body.data;
  const of = async (kind: ProblemKind, key?: string, query?: string) =>
    (await list(key, query)).filter((problem) => problem.kind === kind);
  const becomes = (kind: ProblemKind, expected: unknown) =>
    eventually(`${kind} is as expected`, async () => expect(await of(kind)).toEqual(expected), { timeoutMs: 20_000 });
  const dismiss = (id: string, key = gateway.liveKey) =>
    gateway.api('POST', `/problems/${id}/dismiss`, undefined, { key });

  describe('about failed messages', () => {
    const fail = async (recipient: string) => {
      const request = { platform: 'telegram', recipient, message: 'A secret text' };
      const { body } = await gateway.api<{ message_id: string }>('POST', '/messages/send', request, {
        key: gateway.testKey,
      });
      return body.data.message_id;
    };
    const failures = (query?: string) => of('message_failed', gateway.testKey, query);

    it('groups them by platform and code, and ends when `since` has passed them', async () => {
      const ids = [await fail('sandbox_blocked'), await fail('sandbox_blocked')];
      const other = await fail('sandbox_fail');
      const reader = await gateway.createKey({ environment: 'test', scopes: ['read:status'] });
      const answer = await gateway.api<ProblemDto[]>('GET', '/problems', undefined, { key: reader });
      const common = {
        id: anId('problem'),
        kind: 'message_failed',
        severity: 'warning',
        first_at: aTimestamp(),
        last_at: aTimestamp(),
        subject: { type: 'platform', id: 'telegram' },
      };
      const blocked = {
        ...common,
        title: 'Messages on Telegram fail: the recipient has blocked the account.',
        count: 2,
        samples: ids.toReversed(),
      };
      const failed = {
        ...common,
        title: expect.stringMatching(/^Messages on Telegram fail: /) as string,
        count: 1,
        samples: [other],
      };
      expect(answer.body).toEqual(expectedSuccess([failed, blocked]));
      const [newest, oldest] = answer.body.data;
      expect(oldest!.first_at < oldest!.last_at && oldest!.last_at <= newest!.last_at).toBe(true);
      expect(await failures(`?since=${oldest!.last_at}`)).toEqual([
        failed,
        { ...blocked, count: 1, samples: ids.slice(1) },
      ]);
      expect(await failures('?since=2100-01-01')).toEqual([]);
      expect(await of('message_failed')).toEqual([]);
    });

    it('keeps at most five samples, and does not affect the health', async () => {
      for (let times = 0; times < 6; times += 1) await fail('sandbox_blocked');
      const problem = (await failures()).find(({ count }) => count === 8)!;
      expect(problem.samples).toHaveLength(5);
      const { body } = await gateway.api('GET', '/status', undefined, { key: gateway.testKey });
      expect(body.data).toMatchObject({ status: 'healthy' });
    });

    it('is dismissed until it happens again, repeatedly', async () => {
      const [{ id }] = (await failures()) as [ProblemDto];
      const first = await dismiss(id, gateway.testKey);
      expect(first).toMatchObject({
        status: 200,
        body: expectedSuccess({ id, dismissed: true, dismissed_at: aTimestamp() }),
      });
      expect((await dismiss(id, gateway.testKey)).body.data).toEqual(first.body.data);
      expect((await failures()).map((problem) => problem.id)).not.toContain(id);
      await fail('sandbox_blocked');
      await fail('sandbox_fail');
      expect((await failures()).map((problem) => problem.id)).toContain(id);
    });
  });

  it('refuses an unknown problem, a read-only key, and a malformed time', async () => {
    const [{ id }] = (await of('message_failed', gateway.testKey)) as [ProblemDto];
    for (const unknown of [toPublicId('problem', newUuid()), 'prob_nothing', id])
      expect(await dismiss(unknown)).toMatchObject(
        expectedError('RESOURCE_NOT_FOUND', { resource: 'problem', id: unknown }),
      );
    const reader = await gateway.createKey({ environment: 'test', scopes: ['read:status'] });
    expect(await dismiss(id, reader)).toMatchObject({ status: 403 });
    expect(await gateway.api('GET', '/problems?since=yesterday')).toMatchObject({
      status: 400,
      body: { error: { code: 'INVALID_PARAMETER', details: { parameter: 'since' } } },
    });
  });

  describe('about the AI', () => {
    const ask = (model?: string) =>
      gateway.api('POST', '/ai/generate', { message: 'Hello', ...(model && { options: { model } }) });
    const status = async () => (await gateway.api<{ status: string; components: object }>('GET', '/status')).body.data;

    it('lists an error until the next answer', async () => {
      anthropic.fail({ status: 400 });
      await ask();
      await becomes('ai_error', [
        expect.objectContaining({
          severity: 'warning',
          count: 1,
          title: 'The AI provider fails: it does not accept the request.',
          subject: { type: 'ai_provider', id: 'anthropic' },
          samples: [anId('event')],
        }),
      ]);
      expect(await of('ai_error', gateway.liveKey, '?since=2100-01-01')).toEqual([]);
      await ask();
      expect(await of('ai_error')).toEqual([]);
    });

    it.each([
      [401, 1, 'it rejects the API key'],
      [400, 3, 'it does not accept the request'],
    ])('lists that %i refuses every request, after %i, as unhealthy', async (code, times, reason) => {
      anthropic.fail({ status: code, times: Infinity });
      for (let asked = 0; asked < times; asked += 1) await ask();
      await becomes('ai_refused', [
        expect.objectContaining({
          severity: 'critical',
          count: times,
          title: `The AI provider refuses every request: ${reason}.`,
        }),
      ]);
      expect(await of('ai_error')).toEqual([]);
      expect(await status()).toMatchObject({ status: 'degraded', components: { ai_provider: 'unhealthy' } });
      expect(await of('component_unhealthy')).toMatchObject([{ subject: { id: 'ai_provider' }, samples: [] }]);
      expect(await of('ai_refused', gateway.liveKey, '?since=2100-01-01')).toHaveLength(1);
      anthropic.clearFaults();
      await ask();
      expect(await list()).toEqual([]);
      expect(await status()).toMatchObject({ status: 'healthy' });
    });

    it('does not treat the failing model of a client as a general failure', async () => {
      anthropic.fail({ status: 404, times: Infinity });
      for (let asked = 0; asked < 4; asked += 1) await ask('claude-haiku-4-5');
      await becomes('ai_error', [expect.objectContaining({ count: 4 })]);
      expect(await of('ai_refused')).toEqual([]);
      expect(await status()).toMatchObject({ status: 'healthy' });
      anthropic.clearFaults();
      await ask();
    });
  });

  it('lists a webhook after three consecutive failures until a success, and a failed one', async () => {
    receiver.react(400, '/hook');
    const { body } = await gateway.api<{ id: string }>('POST', '/webhooks', {
      url: receiver.url('/hook'),
      events: ['backup.failed'],
    });
    const { id } = body.data;
    const deliver = () => gateway.api<{ id: string }>('POST', `/webhooks/${id}/test`);
    const deliveries = [await deliver(), await deliver()];
    expect(await of('webhook_failing')).toEqual([]);
    deliveries.push(await deliver());
    const problem = {
      severity: 'warning',
      count: 3,
      subject: { type: 'webhook', id },
      samples: deliveries.map(({ body: { data } }) => data.id).toReversed(),
    };
    expect(await of('webhook_failing')).toMatchObject([problem]);
    const [shown] = await of('webhook_failing');
    await dismiss(shown!.id);
    expect(await of('webhook_failing')).toEqual([]);
    await deliver();
    expect(await of('webhook_failing')).toMatchObject([{ id: shown!.id, count: 4 }]);
    receiver.react(200, '/hook');
    await deliver();
    expect(await of('webhook_failing')).toEqual([]);
    // As it is after the fifth retry.
    await gateway.sql(`UPDATE webhooks SET status = 'failed', updated_at = now() WHERE url = $1`, [
      receiver.url('/hook'),
    ]);
    expect(await of('webhook_failing')).toMatchObject([{ severity: 'critical', subject: { id } }]);
    await gateway.api('PATCH', `/webhooks/${id}`, { enabled: true });
    expect(await of('webhook_failing')).toEqual([]);
    await gateway.api('DELETE', `/webhooks/${id}`);
  });

  it('lists a disconnected platform until it is connected', async () => {
    await telegram.stop();
    await becomes('integration_error', [
      expect.objectContaining({
        severity: 'warning',
        title: expect.stringMatching(/^Telegram is not connected: .*cannot be reached/) as string,
        subject: { type: 'integration', id: 'telegram' },
        samples: [anId('event')],
      }),
    ]);
    await telegram.start();
    await becomes('integration_error', []);
  });

  it('lists a failed backup until a success, for live keys only', async () => {
    await gateway.api('POST', '/admin/backups');
    await becomes('backup_failed', [
      expect.objectContaining({
        severity: 'critical',
        count: 1,
        title: 'The last backup failed.',
        samples: [anId('backup')],
      }),
    ]);
    expect(await of('backup_failed', gateway.testKey)).toEqual([]);
    await gateway.sql(
      `INSERT INTO backups (id, status, trigger, started_at, finished_at) VALUES ($1, 'completed', 'api', now(), now())`,
      [newUuid()],
    );
    expect(await of('backup_failed')).toEqual([]);
  });

  it('lists a conversation that waits for a person, until it is taken over', async () => {
    const waiting = () => of('handover_waiting', gateway.testKey);
    /** A person writes, and the gateway requests a person of ours. */
    const request = async (person: string) => {
      const said = { platform: 'telegram', sender: { id: person }, content: 'Hello' };
      const { body } = await gateway.api<{ conversation_id: string }>('POST', '/sandbox/inbound', said, {
        key: gateway.testKey,
      });
      const id = body.data.conversation_id;
      await gateway.sql(
        `WITH asked AS (UPDATE conversations SET handling = 'requested' WHERE id = $1 RETURNING id, environment)
         INSERT INTO handovers (conversation_id, environment, request_id, reason, requested_at)
         SELECT id, environment, gen_random_uuid(), 'assistant', now() FROM asked`,
        [fromPublicId('conversation', id)],
      );
      return id;
    };
    const id = await request('1');
    expect(await waiting()).toEqual([
      {
        id: anId('problem'),
        kind: 'handover_waiting',
        severity: 'warning',
        title: 'A conversation waits for a person: the assistant asked for one.',
        count: 1,
        first_at: aTimestamp(),
        last_at: aTimestamp(),
        subject: { type: 'conversation', id },
        samples: [id],
      },
    ]);
    const [shown] = await waiting();
    await dismiss(shown!.id, gateway.testKey);
    expect(await waiting()).toEqual([]);
    const other = await request('2');
    expect(await waiting()).toMatchObject([{ samples: [other] }]);
    await gateway.api('POST', `/conversations/${other}/handover`, {}, { key: gateway.testKey });
    expect(await waiting()).toEqual([]);
  });

  it('lists files that could not be fetched, by platform and cause', async () => {
    await gateway.api('PATCH', '/admin/settings', { media: { quota_bytes: 1 }, ai: { auto_reply: false } });
    const file_id = telegram.addFile(png());
    telegram.receiveContent(4711, { photo: [{ file_id, file_unique_id: '1', width: 1, height: 1 }] });
    await becomes('media_failed', [
      expect.objectContaining({
        severity: 'warning',
        count: 1,
        title:
          'Files from Telegram are not stored: the media quota, or the tenth of it allowed for one person, is used up.',
        subject: { type: 'platform', id: 'telegram' },
        samples: [anId('attachment')],
      }),
    ]);
    expect(await of('media_failed', gateway.liveKey, '?since=2100-01-01')).toEqual([]);
  });

  it('lists at most a hundred, newest first', async () => {
    await gateway.sql(
      `INSERT INTO events (id, environment, type, body, created_at)
       SELECT gen_random_uuid(), 'test', 'message.failed',
         '{"data":{"message_id":"msg_x","platform":"telegram","error":{"code":"code_' || n || '"}}}', now() - make_interval(secs => n)
       FROM generate_series(1, 120) n`,
    );
    const problems = await list(gateway.testKey);
    expect(problems).toHaveLength(100);
    const times = problems.map(({ last_at: at }) => at);
    expect(times).toEqual(times.toSorted().toReversed());
  });
});
