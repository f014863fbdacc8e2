import { useGateway } from '../../support/gateway';

interface Item {
  participant: { id: string };
  last_message?: { id: string; direction: string; status: string; content: string } | null;
  next_send_at?: string | null;
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

  it('shows when the next scheduled message is sent, until it is cancelled', async () => {
    const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
    const schedule = async (send_at: string) => {
      const send = { platform: 'telegram', recipient: '1', message: 'Later', send_at };
      return (await call<{ message_id: string }>('POST', '/messages/send', send)).body.data.message_id;
    };
    const [later, sooner] = [inHours(2), inHours(1)];
    await schedule(later);
    const next = await schedule(sooner);
    const shown = async () => {
      const { body } = await call<Item[]>('GET', '/conversations?expand=last_message');
      return Object.fromEntries(body.data.map(({ participant, next_send_at }) => [participant.id, next_send_at]));
    };
    expect(await shown()).toEqual({ 1: sooner, 2: null });
    await call('DELETE', `/messages/${next}`);
    expect(await shown()).toEqual({ 1: later, 2: null });
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
