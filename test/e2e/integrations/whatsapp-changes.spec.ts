import { expectedAccount } from '../../support/expected';
import { toPublicId } from '#contracts';
import type { MessageDto } from '../../../src/messages/dto/message.dto';
import { eventually } from '../../support/eventually';
import { WhatsAppGateway } from '../../support/whatsapp-gateway';

interface Stored {
  id: string;
  content: string;
  former: string[] | null;
}

const GROUP = 'Y2FwaV9ncm91cDoxNzA1NTU1MDEzOToxMjAzNjM0MDQ2OTQyMzM4MjAZD';

describe('A stored WhatsApp message', () => {
  const scene = new WhatsAppGateway();
  const { whatsapp } = scene;
  let seconds = Math.floor(Date.now() / 1_000);
  let people = 0;
  const person = () => `4917100000${(people += 1)}`;

  beforeAll(() => scene.start());
  afterAll(() => scene.stop());

  const find = async (platformId: string) => {
    const rows = await scene.gateway.sql<Stored>(
      `SELECT id, content, options -> 'former_contents' AS former FROM messages WHERE received_id = $1`,
      [platformId],
    );
    return rows[0];
  };
  const shows = (platformId: string, content: string, former: string[] | null = null) =>
    eventually('the message has this content', async () =>
      expect(await find(platformId)).toMatchObject({ content, former }),
    );
  const arrived = async (platformId: string): Promise<string> => {
    await eventually('the message is stored', async () => expect(await find(platformId)).toBeDefined());
    return platformId;
  };
  type Sender = Parameters<typeof whatsapp.receive>[1];
  const edit = (id: string, text: string, sender: Sender) => {
    const change = { original_message_id: id, message: { type: 'text', text: { body: text } } };
    return whatsapp.receive({ type: 'edit', timestamp: String((seconds += 1)), edit: change }, sender);
  };
  const revoke = (id: string, sender: Sender) =>
    whatsapp.receive({ type: 'revoke', revoke: { original_message_id: id } }, sender);

  it.each([
    ['in a conversation of two', undefined],
    ['in a group', GROUP],
  ])('is edited and deleted only by its author, %s', async (_, group_id) => {
    const [author, stranger] = [person(), person()];
    const text = { type: 'text', text: { body: 'Mine' }, ...(group_id && { group_id }) };
    const id = await arrived(whatsapp.receive(text, { from: author }));
    for (const other of [stranger, GROUP]) {
      edit(id, 'Yours', { from: other });
      revoke(id, { from: other });
      // The messages of one person are stored in order.
      await arrived(whatsapp.receiveText({ from: other, text: 'Done' }));
    }
    await shows(id, 'Mine');
    edit(id, 'Still mine', { from: author });
    await shows(id, 'Still mine', ['Mine']);
    revoke(id, { from: author });
    await shows(id, '[message deleted]');
  });

  it('is edited by its author under each known id', async () => {
    const [number, next, userId] = [person(), person(), 'US.13491208655302741919'];
    const id = await arrived(whatsapp.receiveText({ userId, text: 'Before the number was known' }));
    edit(id, 'With the number', { userId, from: number });
    await shows(id, 'With the number', ['Before the number was known']);
    await scene.restart();
    edit(id, 'By the user id', { userId });
    await eventually('it is edited', async () => expect(await find(id)).toMatchObject({ content: 'By the user id' }));
    const system = { type: 'user_changed_number', wa_id: next };
    whatsapp.receive({ type: 'system', system }, { from: number });
    await eventually('the conversation has the new number', async () =>
      expect(await scene.gateway.sql('SELECT FROM conversations WHERE participant_id = $1', [next])).toHaveLength(1),
    );
    edit(id, 'From the new number', { from: next });
    await eventually('it is edited', async () =>
      expect(await find(id)).toMatchObject({ content: 'From the new number' }),
    );
  });

  it('stays in one conversation when the user id of its person changes, with its handling', async () => {
    const [former, next] = ['MX.30000000001', 'MX.30000000002'];
    const conversations = () =>
      scene.gateway.sql<{ id: string; participant_id: string }>(
        'SELECT id, participant_id FROM conversations WHERE participant_id IN ($1, $2)',
        [former, next],
      );
    await arrived(whatsapp.receiveText({ userId: former, text: 'hola' }));
    const { id } = (await conversations())[0]!;
    const path = `/conversations/${toPublicId('conversation', id)}`;
    expect((await scene.gateway.api('POST', `${path}/handover`, {})).status).toBe(200);
    const system = { type: 'user_changed_user_id', user_id: next, previous_user_id: former, body: 'User Bia changed' };
    whatsapp.receive({ type: 'system', system }, { userId: former });
    await eventually('the conversation has the new id', async () =>
      expect(await conversations()).toEqual([{ id, participant_id: next }]),
    );
    await arrived(whatsapp.receiveText({ userId: next, text: 'still there?' }));
    expect(await conversations()).toEqual([{ id, participant_id: next }]);
    const { body } = await scene.gateway.api<{ handling: string }>('GET', path);
    expect(body.data.handling).toBe('human');
    const written = await scene.gateway.sql<{ content: string }>(
      `SELECT content FROM messages WHERE conversation_id = $1 AND direction = 'inbound' ORDER BY seq`,
      [id],
    );
    expect(written.map(({ content }) => content)).toEqual(['hola', 'still there?']);
  });

  it('keeps its last ten versions', async () => {
    const from = person();
    const id = await arrived(whatsapp.receiveText({ from, text: '0' }));
    const contents = Array.from({ length: 14 }, (_, index) => String(index));
    for (const content of contents.slice(1)) {
      edit(id, content, { from });
      await eventually('it is edited', async () => expect(await find(id)).toMatchObject({ content }));
    }
    expect((await find(id))!.former).toEqual(contents.slice(3, 13));
  });

  it('never exceeds the maximum length, in the event too and after an edit', async () => {
    const from = person();
    const long = '🙂'.repeat(100_000);
    const cut = `${'🙂'.repeat(16_383)}…`;
    const id = await arrived(whatsapp.receiveText({ from, text: long }));
    await shows(id, cut);
    const { id: uuid } = (await find(id))!;
    const [event] = await scene.gateway.sql<{ content: string }>(
      `SELECT body::jsonb -> 'data' ->> 'content' AS content FROM events WHERE body::jsonb -> 'data' ->> 'message_id' = $1`,
      [toPublicId('message', uuid)],
    );
    expect(event).toEqual({ content: cut });
    edit(id, `x${long}`, { from });
    await shows(id, `x${'🙂'.repeat(16_382)}…`, [cut]);
  });

  it('is published for each edit and the deletion, once, with times', async () => {
    const from = person();
    const id = await arrived(whatsapp.receiveText({ from, text: 'three crates' }));
    const { id: uuid } = (await find(id))!;
    const messageId = toPublicId('message', uuid);
    const read = async () => (await scene.gateway.api<MessageDto>('GET', `/messages/${messageId}`)).body.data;
    expect(await read()).toMatchObject({ edited_at: null, deleted_at: null, sender: { id: from } });
    edit(id, 'thirteen crates', { from });
    await shows(id, 'thirteen crates', ['three crates']);
    const editedAt = new Date(seconds * 1_000).toISOString();
    expect(await read()).toMatchObject({ edited_at: editedAt, deleted_at: null });
    edit(id, 'thirteen crates', { from });
    revoke(id, { from });
    revoke(id, { from });
    await shows(id, '[message deleted]');
    await arrived(whatsapp.receiveText({ from, text: 'Done' }));
    expect(await read()).toMatchObject({ edited_at: null, deleted_at: expect.stringMatching(/Z$/) });
    const events = await scene.gateway.sql<{ data: object }>(
      `SELECT body::jsonb -> 'data' AS data FROM events
       WHERE type = 'message.updated' AND body::jsonb -> 'data' ->> 'message_id' = $1 ORDER BY created_at, id`,
      [messageId],
    );
    const { conversation_id } = await read();
    const told = {
      message_id: messageId,
      conversation_id,
      platform: 'whatsapp',
      account: expectedAccount(),
      environment: 'live',
    };
    expect(events.map(({ data }) => data)).toEqual([
      { ...told, change: 'edited', content: 'thirteen crates', at: editedAt },
      { ...told, change: 'deleted', content: '[message deleted]', at: expect.stringMatching(/Z$/) },
    ]);
  });

  it('has the last of several edits in one second, and none again that comes a second time', async () => {
    const from = person();
    const id = await arrived(whatsapp.receiveText({ from, text: 'one' }));
    const inSameSecond = (text: string) => {
      seconds -= 1;
      edit(id, text, { from });
    };
    edit(id, 'two', { from });
    inSameSecond('three');
    await shows(id, 'three', ['one', 'two']);
    inSameSecond('two');
    inSameSecond('three');
    await arrived(whatsapp.receiveText({ from, text: 'Done' }));
    expect(await find(id)).toMatchObject({ content: 'three', former: ['one', 'two'] });
    const messageId = toPublicId('message', (await find(id))!.id);
    const events = await scene.gateway.sql<{ content: string }>(
      `SELECT body::jsonb -> 'data' ->> 'content' AS content FROM events
       WHERE type = 'message.updated' AND body::jsonb -> 'data' ->> 'message_id' = $1 ORDER BY created_at, id`,
      [messageId],
    );
    expect(events).toEqual([{ content: 'two' }, { content: 'three' }]);
  });

  it('is not answered again when it is edited', async () => {
    const from = person();
    const id = await arrived(whatsapp.receiveText({ from, text: 'Are you open?' }));
    await eventually('it is answered', () => expect(scene.sentTo(from)).toHaveLength(1));
    edit(id, 'Are you open today?', { from });
    await shows(id, 'Are you open today?', ['Are you open?']);
    const [task] = await scene.gateway.sql<{ requested_seq: number; next_at: Date | null }>(
      `SELECT requested_seq, next_at FROM reply_tasks JOIN messages USING (conversation_id) WHERE received_id = $1`,
      [id],
    );
    expect(task).toEqual({ requested_seq: 1, next_at: null });
  });

  it('keeps at most 200 fields of a form, with short names', async () => {
    let answers: unknown = Array.from({ length: 5_000 }, () => 1);
    for (let level = 0; level < 5; level += 1) answers = { ['n'.repeat(5_000)]: answers };
    const reply = { type: 'nfm_reply', nfm_reply: { body: 'Sent', response_json: JSON.stringify(answers) } };
    const from = person();
    const id = await arrived(whatsapp.receive({ type: 'interactive', interactive: reply }, { from }));
    const { content } = (await find(id))!;
    expect(content).toHaveLength(16_384);
    expect(content).toMatch(/^\[form\] Sent\n(n{5000}\.){3}n+…$/);
  });
});
