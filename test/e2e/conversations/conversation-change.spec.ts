import type { ConversationDto } from '../../../src/conversations/dto/conversation.dto';
import { ConversationArchiver } from '../../../src/conversations/conversation-archiver.service';
import { fromPublicId } from '#contracts';
import { eventually } from '../../support/eventually';
import { expectedError } from '../../support/expected';
import { useGateway } from '../../support/gateway';

describe('A changed conversation', () => {
  const gateway = useGateway();
  let id: string;

  beforeAll(async () => {
    id = await write();
  });

  const api = <T = ConversationDto>(method: string, path: string, body?: object) =>
    gateway.api<T>(method, path, body, { key: gateway.testKey });
  const read = async () => (await api('GET', `/conversations/${id}`)).body.data;
  const change = (body: object) => api('PATCH', `/conversations/${id}`, body);

  async function write(sender = '1'): Promise<string> {
    const body = { platform: 'telegram', sender: { id: sender }, content: 'Hello' };
    return (await api<{ conversation_id: string }>('POST', '/sandbox/inbound', body)).body.data.conversation_id;
  }

  /** By then the assistant has looked at every message from before. */
  async function otherIsAnswered(sender: string): Promise<void> {
    const other = await write(sender);
    await eventually('a message of another person is answered', async () => {
      expect((await api('GET', `/conversations/${other}`)).body.data.message_count).toBe(2);
    });
  }

  it('is archived until a new message arrives', async () => {
    await eventually('the greeting is answered', async () => expect((await read()).message_count).toBe(2));
    const answer = await change({ status: 'archived' });
    expect(answer).toMatchObject({ status: 200, body: { data: { id, status: 'archived', ai_paused: false } } });
    await write();
    expect((await read()).status).toBe('active');
    await eventually('it is answered', async () => expect((await read()).message_count).toBe(4));
  });

  it('is not answered while it is paused', async () => {
    expect((await change({ ai_paused: true })).body.data).toMatchObject({ status: 'active', ai_paused: true });
    await write();
    await otherIsAnswered('2');
    expect((await read()).message_count).toBe(5);
    await change({ ai_paused: false });
  });

  it('gets no answer to messages of the pause after it ends', async () => {
    const uuid = fromPublicId('conversation', id);
    const due = () =>
      gateway.sql('SELECT 1 FROM reply_tasks WHERE conversation_id = $1 AND next_at IS NOT NULL', [uuid]);
    const lease = (until: string) =>
      gateway.sql(`UPDATE reply_tasks SET lease_until = ${until} WHERE conversation_id = $1`, [uuid]);
    const { message_count: before } = await read();
    await change({ ai_paused: true });
    // As if the assistant were busy until the pause is over.
    await lease(`now() + interval '1 hour'`);
    await write();
    await change({ ai_paused: false });
    await lease('NULL');
    await otherIsAnswered('3');
    await eventually('there is nothing to answer', async () => expect(await due()).toEqual([]));
    expect((await read()).message_count).toBe(before + 1);
    await write();
    await eventually('the next message is answered', async () => expect((await read()).message_count).toBe(before + 3));
  });

  it('is archived when idle, unless it just became active', async () => {
    const archiver = gateway.gateway.app.get(ConversationArchiver);
    await gateway.sql(`UPDATE conversations SET last_message_at = now() - interval '31 days'`);
    await archiver.archiveIdle();
    expect((await read()).status).toBe('archived');
    await change({ status: 'active' });
    await archiver.archiveIdle();
    expect((await read()).status).toBe('active');
  });

  it('is not archived before it is idle long enough', async () => {
    await gateway.sql(`UPDATE conversations SET last_message_at = now() - interval '29 days', activated_at = NULL`);
    await gateway.gateway.app.get(ConversationArchiver).archiveIdle();
    expect((await read()).status).toBe('active');
  });

  it.each([
    [{}, 'INVALID_REQUEST'],
    [{ status: 'closed' }, 'INVALID_PARAMETER'],
    [{ ai_paused: null }, 'INVALID_PARAMETER'],
    [{ ai_paused: 'true' }, 'INVALID_PARAMETER'],
    [{ platform: 'discord' }, 'INVALID_REQUEST'],
  ])('is refused with %j', async (body, code) => {
    expect(await change(body)).toMatchObject({ status: 400, body: { error: { code } } });
  });

  it('is not found with a key of the other environment', async () => {
    const answer = await gateway.api('PATCH', `/conversations/${id}`, { status: 'archived' });
    expect(answer).toMatchObject(expectedError('RESOURCE_NOT_FOUND', { resource: 'conversation', id }));
  });
});
