import { fromPublicId } from '#contracts';
import type { SendResultDto } from '../../../src/messages/dto/message.dto';
import { digestKey } from '../../../src/api-keys/key-format';
import { DeploymentSecrets } from '../../../src/core/secrets/deployment-secrets';
import { AnthropicFake } from '../../fakes/anthropic.fake';
import { expectedError } from '../../support/expected';
import { startTestGateway, useGateway } from '../../support/gateway';

describe('Idempotency-Key', () => {
  const anthropic = new AnthropicFake();
  const gateway = useGateway({ anthropic });
  let next = 0;

  const freshKey = () => `key ${(next += 1)}`;
  const message = (change: object = {}) => ({ platform: 'telegram', recipient: '1', message: 'Hello', ...change });
  const send = (idempotencyKey: string, body: unknown = message(), instance = gateway, key = gateway.testKey) =>
    instance.api<SendResultDto>('POST', '/messages/send', body, {
      key,
      headers: { 'idempotency-key': idempotencyKey },
    });
  const sentTo = async (recipient: string) => {
    const [row] = await gateway.sql<{ n: number }>(
      `SELECT count(*)::int AS n FROM messages m JOIN conversations c ON c.id = m.conversation_id WHERE participant_id = $1`,
      [recipient],
    );
    return row!.n;
  };

  it('answers a repeated request like the first, and sends once', async () => {
    const key = freshKey();
    const body = message({ recipient: 'once', options: { parse_mode: 'plain', link_preview: true } });
    const first = await send(key, body);
    expect(first).toMatchObject({ status: 200, body: { data: { status: 'sent' } } });
    expect(first.headers['idempotent-replayed']).toBeUndefined();
    const reordered = `{"options": {"link_preview": true, "parse_mode": "plain"}, "message": "Hello",
      "recipient": "once", "platform": "telegram"}`;
    const second = await send(key, reordered);
    expect(second).toMatchObject({ status: 200, headers: { 'idempotent-replayed': 'true' } });
    expect(second.body.data).toEqual(first.body.data);
    expect(second.headers['x-request-id']).toBe(second.body.meta.request_id);
    expect(second.body.meta.request_id).not.toBe(first.body.meta.request_id);
    expect(await sentTo('once')).toBe(1);
  });

  it('refuses a different request with the same key', async () => {
    const key = freshKey();
    await send(key);
    const reason = 'the Idempotency-Key was used for another request';
    const refused = expectedError('INVALID_REQUEST', { reason });
    expect(await send(key, message({ message: 'Goodbye' }))).toMatchObject(refused);
    const generate = await gateway.api('POST', '/ai/generate', message(), {
      key: gateway.testKey,
      headers: { 'idempotency-key': key },
    });
    expect(generate.status).toBe(400);
  });

  it('makes simultaneous requests wait for the first, on any instance', async () => {
    const other = await startTestGateway({ databaseUrl: gateway.databaseUrl });
    const key = freshKey();
    const instances = [gateway, other, gateway, other, gateway, other];
    const answers = await Promise.all(
      instances.map((instance) => send(key, message({ recipient: 'twins' }), instance)),
    );
    expect(new Set(answers.map(({ body }) => body.data.message_id)).size).toBe(1);
    expect(answers.filter(({ headers }) => headers['idempotent-replayed'] === 'true')).toHaveLength(5);
    expect(await sentTo('twins')).toBe(1);
    await other.stop();
  });

  it('replays a failed outcome', async () => {
    const key = freshKey();
    const body = message({ recipient: 'sandbox_fail' });
    const first = await send(key, body);
    expect(first.body.data.status).toBe('failed');
    const second = await send(key, body);
    expect(second).toMatchObject({ headers: { 'idempotent-replayed': 'true' }, body: { data: first.body.data } });
  });

  it('replays a failure of the AI provider', async () => {
    const unconfigured = await startTestGateway();
    const call = () =>
      unconfigured.api('POST', '/ai/generate', { message: 'x' }, { headers: { 'idempotency-key': 'once' } });
    const first = await call();
    expect(first).toMatchObject({ status: 500, body: { error: { code: 'AI_PROVIDER_ERROR' } } });
    const second = await call();
    expect(second).toMatchObject({ status: 500, headers: { 'idempotent-replayed': 'true' } });
    expect(second.body.error).toEqual(first.body.error);
    await unconfigured.stop();
  });

  it('does not store a refusal before anything was done', async () => {
    const key = freshKey();
    expect((await send(key, message({ recipient: '' }))).status).toBe(400);
    expect((await send(key, message({ options: { reply_to: 'msg_nothing' } }))).status).toBe(400);
    expect((await send(key, message({ recipient: 'sandbox_not_connected' }))).body.error.code).toBe(
      'PLATFORM_NOT_CONNECTED',
    );
    const valid = await send(key, message());
    expect(valid.status).toBe(200);
    expect(valid.headers['idempotent-replayed']).toBeUndefined();
  });

  it('is separate for each API key', async () => {
    const key = freshKey();
    const first = await send(key);
    const second = await send(key, message(), gateway, await gateway.createKey({ environment: 'test' }));
    expect(second.body.data.message_id).not.toBe(first.body.data.message_id);
  });

  it.each(['', 'x'.repeat(256)])('refuses the key %j', async (key) => {
    const answer = await send(key);
    expect(answer).toMatchObject({
      status: 400,
      body: { error: { code: 'INVALID_PARAMETER', details: { parameter: 'Idempotency-Key' } } },
    });
  });

  it('may have 255 characters', async () => {
    expect((await send('x'.repeat(255))).status).toBe(200);
  });

  it('is forgotten after 24 hours', async () => {
    const key = freshKey();
    const first = await send(key);
    await gateway.sql(`UPDATE idempotent_requests SET created_at = created_at - interval '24 hours 1 second'`);
    const second = await send(key, message({ message: 'Another day' }));
    expect(second.status).toBe(200);
    expect(second.body.data.message_id).not.toBe(first.body.data.message_id);
  });

  /** As a process leaves it that dies before it can keep the answer. */
  async function interrupt(key: string): Promise<void> {
    await gateway.sql(
      `UPDATE idempotent_requests SET outcome = NULL, lease_until = now() - interval '1 second'
       WHERE key = $1 AND api_key_id = (SELECT id FROM api_keys WHERE digest = $2)`,
      [key, digestKey(gateway.gateway.app.get(DeploymentSecrets).pepper, gateway.testKey)],
    );
  }

  it('does not repeat what an interrupted request has sent', async () => {
    const key = freshKey();
    const body = message({ recipient: 'interrupted' });
    const first = await send(key, body);
    await interrupt(key);
    expect((await send(key, body)).body.data).toEqual(first.body.data);
    expect(await sentTo('interrupted')).toBe(1);
  });

  it('completes what an interrupted request did not begin', async () => {
    const key = freshKey();
    const body = message({ recipient: 'never-came' });
    const first = await send(key, body);
    await gateway.sql(
      `WITH task AS (DELETE FROM message_tasks WHERE message_id = $1) DELETE FROM messages WHERE id = $1`,
      [fromPublicId('message', first.body.data.message_id)],
    );
    await interrupt(key);
    const again = await send(key, body);
    expect(again).toMatchObject({ status: 200, body: { data: { status: 'sent' } } });
    expect(again.headers['idempotent-replayed']).toBeUndefined();
    expect(await sentTo('never-came')).toBe(1);
  });

  it('asks the AI once for simultaneous requests', async () => {
    const before = anthropic.requests.length;
    const call = () =>
      gateway.api('POST', '/ai/generate', { message: 'Hello' }, { headers: { 'idempotency-key': 'ai twins' } });
    const answers = await Promise.all([call(), call(), call()]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(new Set(answers.map(({ body }) => JSON.stringify(body.data))).size).toBe(1);
    expect(anthropic.requests).toHaveLength(before + 1);
  });
});
