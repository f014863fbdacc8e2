import type { ConversationDto } from '../../../src/conversations/dto/conversation.dto';
import type { MessageDto } from '../../../src/messages/dto/message.dto';
import { WhatsAppGateway } from '../../support/whatsapp-gateway';

describe('A colleague who writes on the phone (WhatsApp coexistence)', () => {
  const scene = new WhatsAppGateway();
  const { whatsapp } = scene;
  let people = 0;
  let person: string;

  beforeAll(() => scene.start());
  afterAll(() => scene.stop());
  beforeEach(() => (person = `4917200000${(people += 1)}`));

  const api = <T>(method: string, path: string, body?: object) => scene.gateway.api<T>(method, path, body);
  /** Meta posts what the colleague wrote, perhaps more than once. @returns the status of the answer */
  const echo = (id: string, message: object = { type: 'text', text: { body: 'Grace here' } }) =>
    whatsapp.postEcho({ id, to: person, ...message });
  const conversation = async () => {
    const { body } = await api<ConversationDto[]>('GET', `/conversations?q=${person}`);
    return body.data[0]!;
  };
  const messages = async () => {
    const { id } = await conversation();
    return (await api<MessageDto[]>('GET', `/messages?conversation_id=${id}&expand=details`)).body.data;
  };
  const minutesLeft = async () => {
    const { handover } = await conversation();
    return handover!.resume_at === null ? null : Math.round((Date.parse(handover!.resume_at) - Date.now()) / 60_000);
  };

  it('is stored once, as an outbound message of the phone, and takes over for an hour', async () => {
    const id = `wamid.${person}`;
    expect([await echo(id), await echo(id)]).toEqual([200, 200]);
    const told = { direction: 'outbound', content: 'Grace here', sent_by: 'phone', status: 'sent', ai_model: null };
    expect(await messages()).toEqual([expect.objectContaining(told)]);
    expect(await conversation()).toMatchObject({ handling: 'human', handover: { reason: null, assignee: null } });
    expect(await minutesLeft()).toBe(60);
    const events = await scene.gateway.sql<{ type: string }>(
      `SELECT type FROM events WHERE body LIKE '%' || $1 || '%' ORDER BY type`,
      [(await conversation()).id],
    );
    expect(events.map(({ type }) => type)).toEqual(['conversation.handover_taken', 'message.sent']);
    // Its edits and deletion change the original.
    const edited = { original_message_id: id, message: { type: 'text', text: { body: 'Grace is here' } } };
    await echo(`${id}.edit`, { type: 'edit', timestamp: '4102444800', edit: edited });
    expect((await messages())[0]!.content).toBe('Grace is here');
    await echo(`${id}.revoke`, { type: 'revoke', revoke: { original_message_id: id } });
    expect((await messages()).map(({ content }) => content)).toEqual(['[message deleted]']);
    expect((await messages())[0]).toMatchObject({ edited_at: null, deleted_at: expect.any(String) });
    const updates = await scene.gateway.sql<{ change: string; content: string }>(
      `SELECT body::jsonb -> 'data' ->> 'change' AS change, body::jsonb -> 'data' ->> 'content' AS content FROM events
       WHERE type = 'message.updated' AND body LIKE '%' || $1 || '%' ORDER BY created_at, id`,
      [(await conversation()).id],
    );
    expect(updates).toEqual([
      { change: 'edited', content: 'Grace is here' },
      { change: 'deleted', content: '[message deleted]' },
    ]);
  });

  it('quotes a message of the person, and may be quoted', async () => {
    const asked = `wamid.${person}.question`;
    const answered = `wamid.${person}.answer`;
    const write = (message: Record<string, unknown>) =>
      whatsapp.post(whatsapp.messageValue(message, { from: person, name: 'Bia' }));
    await write({ id: asked, type: 'text', text: { body: 'Rye or spelt?' } });
    await echo(answered, { type: 'text', text: { body: 'Rye' }, context: { id: asked, from: person } });
    await write({ type: 'text', text: { body: 'That one' }, context: { id: answered } });
    const told = await messages();
    const shown = (content: string) => told.find((message) => message.content === content)!;
    expect(shown('Rye').reply_to).toMatchObject({
      message_id: shown('Rye or spelt?').id,
      sender: { id: person },
      content: 'Rye or spelt?',
    });
    expect(shown('That one').reply_to).toEqual({ message_id: shown('Rye').id, sender: null, content: 'Rye' });
  });

  it('never shortens a takeover, and extends a shorter one', async () => {
    await echo(`wamid.${person}.0`);
    const { id } = await conversation();
    const cases = [
      [{ resume_after_minutes: 5, assignee: 'Grace' }, 60],
      [{ resume_after_minutes: 90, assignee: 'Grace' }, 90],
      [{ assignee: 'Grace' }, null],
    ] as const;
    for (const [index, [terms, minutes]] of cases.entries()) {
      await api('POST', `/conversations/${id}/handover`, terms);
      await echo(`wamid.${person}.${index + 1}`);
      expect(await minutesLeft()).toBe(minutes);
      expect((await conversation()).handover!.assignee).toBe('Grace');
    }
  });

  it('takes nothing over if echo_resume_minutes is null', async () => {
    await api('PATCH', '/admin/settings', { handover: { echo_resume_minutes: null } });
    await echo(`wamid.${person}`);
    expect(await messages()).toHaveLength(1);
    expect((await conversation()).handling).toBe('assistant');
    await api('PATCH', '/admin/settings', { handover: { echo_resume_minutes: 60 } });
  });
});
