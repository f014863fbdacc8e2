import { useGateway } from '../../support/gateway';

interface Item {
  participant: { id: string };
  last_message?: { id: string; direction: string; status: string; content: string } | null;
}

describe('GET /conversations?expand=last_message', () => {
  const gateway = useGateway();
  const call = <Data>(method: string, path: string, body?: unknown) =>
    gateway.api<Data>(method, path, body, { key: gateway.testKey });
  const say = async (id: string, content: string) =>
    (await call<{ message_id: string }>('POST', '/sandbox/inbound', { platform: 'telegram', sender: { id }, content }))
      .body.data.message_id;

  beforeAll(async () => {
    await call('PATCH', '/admin/settings', { ai: { auto_reply: false } });
  });

  it('shows the newest message of each conversation, with the first 200 characters of its text', async () => {
    await say('1', 'The first');
    const inbound = await say('1', '🙂'.repeat(300));
    const sent = { platform: 'telegram', recipient: '2', message: 'Your order has been shipped.' };
    const { body } = await call<{ message_id: string }>('POST', '/messages/send', sent);
    const list = await call<Item[]>('GET', '/conversations?expand=last_message');
    const shown = Object.fromEntries(list.body.data.map((item) => [item.participant.id, item.last_message]));
    expect(shown).toEqual({
      1: { id: inbound, direction: 'inbound', status: 'received', content: '🙂'.repeat(200) },
      2: { id: body.data.message_id, direction: 'outbound', status: expect.any(String), content: sent.message },
    });
  });

  it('is null if retention has removed all messages, and absent without expand', async () => {
    await gateway.sql('DELETE FROM messages');
    const list = await call<Item[]>('GET', '/conversations?expand=last_message');
    expect(list.body.data.map(({ last_message }) => last_message)).toEqual([null, null]);
    const plain = await call<Item[]>('GET', '/conversations');
    expect(plain.body.data.filter((item) => 'last_message' in item)).toEqual([]);
    expect((await call('GET', '/conversations?expand=all')).status).toBe(400);
  });
});
