import { AnthropicFake } from '../../fakes/anthropic.fake';
import { TelegramFake } from '../../fakes/telegram.fake';
import { eventually } from '../../support/eventually';
import { useGateway } from '../../support/gateway';

interface Shown {
  id: string;
  handling: string;
  last_error: { code: string; message: string | null; next_try_at: string | null } | null;
}

describe('An unanswered conversation', () => {
  const anthropic = new AnthropicFake();
  const telegram = new TelegramFake();
  const gateway = useGateway({ anthropic, telegram });
  let chat = 9_000;

  beforeEach(() => anthropic.replyWith(() => 'We open at nine.'));
  afterEach(async () => {
    anthropic.clearFaults();
    await gateway.sql('UPDATE reply_tasks SET next_at = NULL, last_error = NULL');
  });

  const fail = (status: number, retryAfter = 86_400) => anthropic.fail({ status, times: Infinity, retryAfter });
  const set = async (settings: object) =>
    expect((await gateway.api('PATCH', '/admin/settings', settings)).status).toBe(200);
  const unanswered = async (more = '', key?: string) =>
    (await gateway.api<Shown[]>('GET', `/conversations?unanswered=true${more}`, undefined, { key })).body;
  const answer = (id: string) => gateway.api<Shown>('POST', `/conversations/${id}/answer`);
  const read = async (id: string) => (await gateway.api<Shown>('GET', `/conversations/${id}`)).body.data;
  const send = (text: string) =>
    gateway.api('POST', '/messages/send', { platform: 'telegram', recipient: String(chat), message: text });
  /** Writes a message that gets no answer. */
  const failed = async (minutes = 0): Promise<Shown> => {
    await set({ ai: { answer_within_minutes: minutes } });
    fail(529);
    telegram.receiveText({ chatId: ++chat, text: 'Do you have umbrellas?' });
    return eventually('the conversation is unanswered', async () => {
      const { data } = await unanswered();
      expect(data).toHaveLength(1);
      return data[0]!;
    });
  };
  const gone = () =>
    eventually('no conversation is unanswered', async () => expect((await unanswered()).data).toEqual([]));

  it('is listed with the error; POST /answer asks the assistant again, once', async () => {
    const shown = await failed();
    expect(shown.last_error).toEqual({ code: 'overloaded', message: expect.any(String) as unknown, next_try_at: null });
    expect((await read(shown.id)).last_error).toEqual(shown.last_error);
    expect((await unanswered('&page=2')).meta.pagination).toMatchObject({ total: 1 });
    expect((await gateway.api<Shown[]>('GET', '/conversations?unanswered=false')).body.data).not.toContainEqual(
      expect.objectContaining({ id: shown.id }),
    );
    const key = await gateway.createKey({ scopes: ['read:conversations'] });
    expect((await unanswered('', key)).data[0]!.last_error).toMatchObject({ code: 'overloaded', message: null });

    anthropic.clearFaults();
    const sent = telegram.sent.length;
    expect(await answer(shown.id)).toMatchObject({ status: 200, body: { data: { id: shown.id, last_error: null } } });
    await telegram.waitForSent(sent + 1);
    await gone();
    expect(telegram.sent.at(-1)).toMatchObject({ text: 'We open at nine.' });
    expect(await answer(shown.id)).toMatchObject({ body: { error: { code: 'INVALID_REQUEST' } } });
  });

  const summaryOf = async (id: string, key?: string) => {
    const { body } = await gateway.api<{ id: string }[]>('GET', `/messages?conversation_id=${id}`);
    const timeline = await gateway.api('GET', `/messages/${body.data.at(-1)!.id}/timeline`, undefined, { key });
    return (timeline.body.meta as unknown as { summary: { outcome: string; sentence: string; next_try_at: string } })
      .summary;
  };

  it('has a timeline whose summary says so, and later that it is answered', async () => {
    const { id } = await failed();
    const summary = await summaryOf(id);
    expect(summary).toMatchObject({ outcome: 'unanswered', next_try_at: null });
    expect(summary.sentence).toBe('No answer: the AI is overloaded.');
    const key = await gateway.createKey({ scopes: ['read:messages'] });
    expect(await summaryOf(id, key)).toMatchObject({ outcome: 'unanswered', sentence: 'No answer.' });
    anthropic.clearFaults();
    await answer(id);
    await eventually('it is answered', async () =>
      expect(await summaryOf(id)).toEqual({ outcome: 'answered', sentence: 'Answered.', next_try_at: null }),
    );
  });

  it('says when the gateway tries again', async () => {
    const { id, last_error } = await failed(5);
    const { sentence, next_try_at } = await summaryOf(id);
    expect(next_try_at).toBe(last_error!.next_try_at);
    expect(sentence).toMatch(/^No answer: the AI is overloaded\. Next try \d\d:\d\d:\d\d UTC\.$/);
    expect(last_error!.code).toBe('overloaded');
    expect(Date.parse(last_error!.next_try_at!)).toBeGreaterThan(Date.now() - 1_000);
    anthropic.clearFaults();
    expect((await answer(id)).status).toBe(200);
    await gone();
  });

  it('with answer_within_minutes 0, no event says that the gateway tries again', async () => {
    await gateway.sql(`DELETE FROM events WHERE type = 'ai.error'`);
    await failed();
    const events = await gateway.sql<{ body: string }>(`SELECT body FROM events WHERE type = 'ai.error'`);
    expect(events.map(({ body }) => (JSON.parse(body) as { data: { error: object } }).data.error)).toEqual([
      expect.objectContaining({ retryable: false }),
    ]);
  });

  it.each<[string, (id: string) => Promise<unknown>]>([
    ['a person takes it over', (id) => gateway.api('POST', `/conversations/${id}/handover`, {})],
    ['a client sends a message', () => send('Yes, in red.')],
    ['it is erased', (id) => gateway.api('DELETE', `/conversations/${id}`)],
  ])('is no longer unanswered when %s', async (_, act) => {
    const { id } = await failed();
    expect((await act(id)) as object).toMatchObject({ status: 200 });
    expect((await unanswered()).data).toEqual([]);
    expect((await read(id)).last_error).toBeNull();
    expect(await answer(id)).toMatchObject({ body: { error: { code: 'INVALID_REQUEST' } } });
  });

  it('is unanswered again after a takeover without a message, and can be answered', async () => {
    const { id } = await failed();
    await gateway.api('POST', `/conversations/${id}/handover`, {});
    await gateway.api('POST', `/conversations/${id}/resume`);
    expect((await unanswered()).data).toHaveLength(1);
    anthropic.clearFaults();
    const sent = telegram.sent.length;
    expect((await answer(id)).status).toBe(200);
    await telegram.waitForSent(sent + 1);
  });

  it('is not asked about again while the assistant is off', async () => {
    const { id } = await failed();
    await set({ ai: { auto_reply: false } });
    expect(await answer(id)).toMatchObject({ body: { error: { code: 'INVALID_REQUEST' } } });
    await set({ ai: { auto_reply: true } });
  });

  it('POST /answer finds no conversation under an unknown id', async () => {
    expect(await answer('conv_01h455vb4pex5vsknk084sn02q')).toMatchObject({
      body: { error: { code: 'RESOURCE_NOT_FOUND' } },
    });
  });
});
