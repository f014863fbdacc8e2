import { fromPublicId } from '#contracts';
import type { ConversationDto } from '../../../src/conversations/dto/conversation.dto';
import type { SendResultDto } from '../../../src/messages/dto/message.dto';
import type { SandboxInboundResultDto } from '../../../src/messages/sandbox/sandbox-inbound.dto';
import { eventually } from '../../support/eventually';
import { anId, expectedError, expectedSuccess } from '../../support/expected';
import { useGateway } from '../../support/gateway';

describe('Sandbox', () => {
  const gateway = useGateway();

  const play = (body: object, key = gateway.testKey) =>
    gateway.api<SandboxInboundResultDto>('POST', '/sandbox/inbound', body, { key });
  const conversation = async (id: string) =>
    (
      await gateway.api<ConversationDto>('GET', `/conversations/${id}?include_messages=true`, undefined, {
        key: gateway.testKey,
      })
    ).body.data;

  it('simulates an inbound message, and the assistant answers it', async () => {
    const sender = { id: '4711', name: 'Ada', username: 'ada' };
    const answer = await play({ platform: 'the service', sender, content: 'Hello there' });
    expect(answer).toMatchObject({
      status: 200,
      body: expectedSuccess({ message_id: anId('message'), conversation_id: anId('conversation') }),
    });
    const { message_id, conversation_id } = answer.body.data;
    const answered = await eventually('the answer is sent', async () => {
      const read = await conversation(conversation_id);
      expect(read.message_count).toBe(2);
      return read;
    });
    expect(answered).toMatchObject({ platform: 'telegram', participant: sender });
    expect(answered.messages).toMatchObject([
      { id: message_id, direction: 'inbound', content: 'Hello there' },
      { direction: 'outbound', content: expect.stringContaining('sandbox') as string },
    ]);
  });

  it('keeps one conversation per sender, even if senders repeat the same text', async () => {
    const body = { platform: 'whatsapp', sender: { id: '49151' }, content: 'Again' };
    const first = (await play(body)).body.data;
    const second = (await play(body)).body.data;
    expect(second.conversation_id).toBe(first.conversation_id);
    expect(second.message_id).not.toBe(first.message_id);
    expect((await conversation(first.conversation_id)).participant).toEqual({
      id: '49151',
      name: null,
      username: null,
    });
  });

  it.each([
    ['telegram', '-1001234/1', '-1001234', { group: { id: '-1001234' }, sender: { id: '7' } }],
    ['telegram', '-1001235', '-1001235', { group: { id: '-1001235/1' }, sender: { id: '7' } }],
  ])('has one conversation of %s with %s, as the platform has', async (platform, recipient, id, from) => {
    const body = { platform, recipient, message: 'Ready' };
    const sent = await gateway.api<SendResultDto>('POST', '/messages/send', body, { key: gateway.testKey });
    const played = (await play({ platform, ...from, content: 'Thank you' })).body.data;
    const { participant, messages } = await conversation(played.conversation_id);
    expect(participant.id).toBe(id);
    const ids = messages!.map((message) => message.id);
    expect(ids.slice(0, 2)).toEqual([sent.body.data.message_id, played.message_id]);
  });

  it('accepts a blank message, without an answer', async () => {
    const say = async (content: string) =>
      (await play({ platform: 'discord', sender: { id: '81' }, content })).body.data.conversation_id;
    const answered = (id: string, seq: number) =>
      eventually(`message ${seq} is dealt with`, async () => {
        const rows = await gateway.sql(
          'SELECT 1 FROM reply_tasks WHERE conversation_id = $1 AND answered_seq >= $2 AND next_at IS NULL',
          [fromPublicId('conversation', id), seq],
        );
        expect(rows).toHaveLength(1);
      });
    const asked = async (id: string) => {
      const rows = await gateway.sql(
        `SELECT 1 FROM events WHERE type = 'ai.request' AND body::jsonb -> 'data' ->> 'conversation_id' = $1`,
        [id],
      );
      return rows.length;
    };
    const id = await say(' \n ');
    await answered(id, 1);
    expect(await asked(id)).toBe(0);
    await say('Hello');
    await answered(id, 2);
    await say(' ');
    await answered(id, 4);
    expect(await asked(id)).toBe(1);
    expect((await conversation(id)).messages).toMatchObject([
      { content: ' \n ' },
      { content: 'Hello' },
      { direction: 'outbound' },
      { content: ' ' },
    ]);
  });

  it.each([
    { platform: 'telegram', sender: { id: '1' }, content: 'x' },
    {},
    { platform: 'icq', colour: 'red' },
    '{"platform": ',
    '[]',
    JSON.stringify({ content: 'x'.repeat(300 * 1_024) }),
    undefined,
  ])('is not found with live keys, whatever the body', async (body) => {
    const answer = await gateway.api('POST', '/sandbox/inbound?page=1', body, { key: gateway.liveKey });
    expect(answer).toMatchObject(
      expectedError('RESOURCE_NOT_FOUND', { resource: 'route', id: 'POST /api/v1/sandbox/inbound' }),
    );
  });

  it.each([
    [{}, 'MISSING_PARAMETER', { parameter: 'platform' }],
    [{ platform: 'icq' }, 'INVALID_PARAMETER', { parameter: 'platform' }],
    [{ sender: {} }, 'MISSING_PARAMETER', { parameter: 'sender.id' }],
    [{ sender: 'Ada' }, 'INVALID_PARAMETER', { parameter: 'sender' }],
    [{ sender: { id: '1', name: 5 } }, 'INVALID_PARAMETER', { parameter: 'sender.name' }],
    [{ content: '' }, 'INVALID_PARAMETER', { parameter: 'content' }],
    [{ sender: { id: '1', age: 5 } }, 'INVALID_REQUEST', { fields: ['sender.age'] }],
  ])('refuses %j', async (change, code, details) => {
    const valid = { platform: 'telegram', sender: { id: '1' }, content: 'x' };
    const answer = await play(Object.keys(change).length === 0 ? {} : { ...valid, ...change });
    expect(answer).toMatchObject({ status: 400, body: { error: { code, details } } });
  });
});
