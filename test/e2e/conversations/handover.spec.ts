import { fromPublicId, type EventPayload, type Scope } from '#contracts';
import type { ConversationDto } from '../../../src/conversations/dto/conversation.dto';
import { Handovers } from '../../../src/conversations/handover/handovers.service';
import { eventually } from '../../support/eventually';
import { aTimestamp, expectedError, expectedAccount } from '../../support/expected';
import { useGateway } from '../../support/gateway';

type HandoverEvent = EventPayload<'conversation.resumed'>;

describe('Handover of a conversation', () => {
  const gateway = useGateway();
  let participants = 0;

  const api = <T = ConversationDto>(method: string, path: string, body?: unknown) =>
    gateway.api<T>(method, path, body, { key: gateway.testKey });
  const read = async (id: string) => (await api('GET', `/conversations/${id}`)).body.data;
  const uuidOf = (id: string) => fromPublicId('conversation', id);

  async function write(content = 'Hello', sender = String((participants += 1))): Promise<string> {
    const body = { platform: 'telegram', sender: { id: sender, name: 'Ada' }, content };
    return (await api<{ conversation_id: string }>('POST', '/sandbox/inbound', body)).body.data.conversation_id;
  }

  const countIs = (id: string, count: number) =>
    eventually(`there are ${count} messages`, async () => expect((await read(id)).message_count).toBe(count));

  /** A conversation whose greeting is answered. */
  async function greeted(): Promise<string> {
    const id = await write();
    await countIs(id, 2);
    return id;
  }

  async function eventsOf(id: string): Promise<HandoverEvent[]> {
    const rows = await gateway.sql<{ body: string }>(
      `SELECT body FROM events WHERE type LIKE 'conversation.%' AND body LIKE '%' || $1 || '%' ORDER BY id`,
      [id],
    );
    return rows.map(({ body }) => JSON.parse(body) as HandoverEvent);
  }

  it('starts, changes assignee, note and timer, and ends with one event each', async () => {
    const id = await greeted();
    expect(await read(id)).toMatchObject({ handling: 'assistant', handover: null, ai_paused: false });

    const taken = await api('POST', `/conversations/${id}/handover`, { assignee: 'Grace', note: 'A refund.' });
    const handover = {
      reason: null,
      summary: null,
      note: 'A refund.',
      assignee: 'Grace',
      requested_at: null,
      taken_at: aTimestamp(),
      resume_at: null,
    };
    expect(taken).toMatchObject({ status: 200, body: { data: { id, handling: 'human', ai_paused: true } } });
    expect(taken.body.data.handover).toEqual(handover);

    const { taken_at } = taken.body.data.handover!;
    const again = (await api('POST', `/conversations/${id}/handover`, { resume_after_minutes: 60 })).body.data;
    expect(again.handover).toEqual({ ...handover, taken_at, note: null, assignee: null, resume_at: aTimestamp() });
    const resumeAt = Date.parse(again.handover!.resume_at!);
    expect(Math.abs(resumeAt - Date.now() - 3_600_000)).toBeLessThan(10_000);

    // Nothing changes.
    expect((await api('PATCH', `/conversations/${id}`, { ai_paused: true })).body.data).toEqual(again);

    for (let time = 0; time < 2; time += 1) {
      const resumed = await api('POST', `/conversations/${id}/resume`);
      expect(resumed).toMatchObject({ status: 200, body: { data: { handling: 'assistant', handover: null } } });
    }
    const data = {
      environment: 'test',
      conversation_id: id,
      platform: 'telegram',
      account: expectedAccount(),
      participant: { id: expect.any(String) as string, name: 'Ada', username: null },
      reason: null,
      summary: null,
      at: aTimestamp(),
    };
    expect((await eventsOf(id)).map(({ type, data: told }) => [type, told])).toEqual([
      ['conversation.handover_taken', { ...data, assignee: 'Grace' }],
      ['conversation.resumed', { ...data, assignee: null }],
    ]);
  });

  it('keeps the reason and summary of the request, whose summary has 1,000 characters at most', async () => {
    const id = await greeted();
    const handovers = gateway.gateway.app.get(Handovers);
    const request = (summary: string) =>
      handovers.run(async (transaction) => {
        const conversation = await handovers.lock(transaction, 'test', uuidOf(id)!);
        return handovers.request(transaction, conversation, { reason: 'assistant', summary });
      });
    await request('a'.repeat(1_001));
    await request('A second request changes nothing.');
    const summary = `${'a'.repeat(999)}…`;
    const handover = { reason: 'assistant', summary, requested_at: aTimestamp(), taken_at: null, assignee: null };
    expect(await read(id)).toMatchObject({ handling: 'requested', ai_paused: true, handover });
    await api('POST', `/conversations/${id}/handover`, { assignee: 'Grace' });
    expect(await read(id)).toMatchObject({
      handling: 'human',
      handover: { ...handover, taken_at: aTimestamp(), assignee: 'Grace' },
    });
    await api('POST', `/conversations/${id}/resume`);
    expect((await eventsOf(id)).map(({ type, data }) => [type, data.reason, data.summary, data.assignee])).toEqual([
      ['conversation.handover_requested', 'assistant', summary, null],
      ['conversation.handover_taken', 'assistant', summary, 'Grace'],
      ['conversation.resumed', 'assistant', summary, 'Grace'],
    ]);
  });

  it('starts and ends with PATCH ai_paused, and starts without an end if the body is empty', async () => {
    const id = await greeted();
    const paused = (await api('PATCH', `/conversations/${id}`, { ai_paused: true })).body.data;
    expect(paused).toMatchObject({ handling: 'human', ai_paused: true, handover: { assignee: null, resume_at: null } });
    const resumed = (await api('PATCH', `/conversations/${id}`, { ai_paused: false })).body.data;
    expect(resumed).toMatchObject({ handling: 'assistant', ai_paused: false, handover: null });
    expect((await api('POST', `/conversations/${id}/handover`)).body.data).toMatchObject({
      handling: 'human',
      handover: { assignee: null, note: null, resume_at: null },
    });
  });

  it.each([
    ['an assignee of 101 characters', { assignee: 'a'.repeat(101) }, 'INVALID_PARAMETER'],
    ['an empty assignee', { assignee: '' }, 'INVALID_PARAMETER'],
    ['a note of 2,001 characters', { note: 'a'.repeat(2_001) }, 'INVALID_PARAMETER'],
    ['no minutes', { resume_after_minutes: 0 }, 'INVALID_PARAMETER'],
    ['more than a week', { resume_after_minutes: 10_081 }, 'INVALID_PARAMETER'],
    ['minutes as text', { resume_after_minutes: '5' }, 'INVALID_PARAMETER'],
    ['an unknown field', { until: 'tomorrow' }, 'INVALID_REQUEST'],
  ])('refuses %s', async (_, body, code) => {
    const id = await write();
    const answer = await api('POST', `/conversations/${id}/handover`, body);
    expect(answer).toMatchObject({ status: 400, body: { error: { code } } });
    expect((await read(id)).handling).toBe('assistant');
  });

  it('refuses a body when it ends, a key without write:messages, and conversations of others', async () => {
    const id = await write();
    expect((await api('POST', `/conversations/${id}/resume`, { now: true })).status).toBe(400);
    const key = await gateway.createKey({ environment: 'test', scopes: ['read:conversations', 'read:messages'] });
    for (const operation of ['handover', 'resume']) {
      const path = `/conversations/${id}/${operation}`;
      expect((await gateway.api('POST', path, undefined, { key })).status).toBe(403);
      const unknown = expectedError('RESOURCE_NOT_FOUND', { resource: 'conversation', id });
      expect(await gateway.api('POST', path)).toMatchObject(unknown);
    }
  });

  it('lists by handling, with exact totals in every combination', async () => {
    const ids = [await write(), await write(), await write(), await write()] as const;
    await api('POST', `/conversations/${ids[0]}/handover`, { assignee: 'Linus' });
    await gateway.sql(`UPDATE conversations SET created_at = created_at - interval '90 days' WHERE id = $1`, [
      uuidOf(ids[1]),
    ]);
    await api('PATCH', `/conversations/${ids[1]}`, { ai_paused: true, status: 'archived' });
    const list = async (query: string) =>
      (
        await gateway.api<ConversationDto[]>('GET', `/conversations?per_page=100&${query}`, undefined, {
          key: gateway.testKey,
        })
      ).body;
    const all = (await list('')).data;
    const ofHandling = (handling: string) => all.filter((item) => item.handling === handling).length;
    const since = new Date().toISOString();
    for (const handling of ['assistant', 'requested', 'human'])
      for (const filter of [
        '',
        'status=archived',
        'start_date=2020-01-01&end_date=2090-01-01',
        `start_date=${since}`,
        'q=Ada',
      ]) {
        const { data, meta } = await list(`handling=${handling}&${filter}`);
        expect(meta.pagination.total).toBe(data.length);
        expect(data.every((item) => item.handling === handling)).toBe(true);
      }
    for (const handling of ['assistant', 'requested', 'human'])
      expect((await list(`handling=${handling}`)).data).toHaveLength(ofHandling(handling));
    const humans = (await list('handling=human')).data;
    expect(humans.find(({ id }) => id === ids[0])!.handover).toMatchObject({
      assignee: 'Linus',
      taken_at: aTimestamp(),
    });
    expect(await list('handling=nobody')).toMatchObject({ error: { code: 'INVALID_PARAMETER' } });
  });

  it('leaves messages of its time unanswered, and the next one is answered', async () => {
    const id = await greeted();
    const { participant } = await read(id);
    await api('POST', `/conversations/${id}/handover`);
    await write('Are you there?', participant.id!);
    await api('POST', `/conversations/${id}/resume`);
    await write('Hello again', participant.id!);
    await countIs(id, 5);
    const { data } = (await api('GET', `/conversations/${id}?include_messages=true`)).body;
    expect(data.messages!.map(({ direction, sent_by }) => [direction, sent_by])).toEqual([
      ['inbound', null],
      ['outbound', 'assistant'],
      ['inbound', null],
      ['inbound', null],
      ['outbound', 'assistant'],
    ]);
    // It saw the four messages before the last one.
    expect(data.messages!.at(-1)!.content).toContain('It saw 3 context messages');
  });

  it('ends at resume_at, to the second', async () => {
    const id = await greeted();
    await api('POST', `/conversations/${id}/handover`, { resume_after_minutes: 5 });
    const resumeAt = new Date(Date.now() + 3_700);
    await gateway.sql(
      `UPDATE handovers SET resume_at = $2::timestamptz, next_at = $2::timestamptz - interval '2 seconds' WHERE conversation_id = $1`,
      [uuidOf(id), resumeAt],
    );
    await eventually('it is resumed', async () => expect((await eventsOf(id)).length).toBe(2), { timeoutMs: 10_000 });
    const { type, data } = (await eventsOf(id))[1]!;
    expect(type).toBe('conversation.resumed');
    expect(Math.abs(Date.parse(data.at) - resumeAt.getTime())).toBeLessThan(1_000);
    expect((await read(id)).handling).toBe('assistant');
  });

  it('keeps ai_paused of the previous version and handling in sync', async () => {
    const id = await greeted();
    const setPaused = (isPaused: boolean) =>
      gateway.sql('UPDATE conversations SET ai_paused = $2 WHERE id = $1', [uuidOf(id), isPaused]);
    const paused = () => gateway.sql('SELECT ai_paused FROM conversations WHERE id = $1', [uuidOf(id)]);
    await setPaused(true);
    expect(await read(id)).toMatchObject({ handling: 'human', handover: { taken_at: aTimestamp(), resume_at: null } });
    await setPaused(false);
    expect(await read(id)).toMatchObject({ handling: 'assistant', handover: null });
    await api('POST', `/conversations/${id}/handover`);
    expect(await paused()).toEqual([{ ai_paused: true }]);
    await api('POST', `/conversations/${id}/resume`);
    expect(await paused()).toEqual([{ ai_paused: false }]);
  });

  it('is streamed to keys with only read:conversations', async () => {
    const open = async (scope: Scope, types = 'conversation.*') => {
      const key = await gateway.createKey({ environment: 'test', scopes: [scope] });
      const controller = new AbortController();
      const { status } = await fetch(`${gateway.url}/api/v1/events/stream?types=${types}`, {
        headers: { authorization: `Bearer ${key}` },
        signal: controller.signal,
      });
      controller.abort();
      return status;
    };
    expect(await open('read:conversations')).toBe(200);
    expect(await open('read:status')).toBe(403);
    expect(await open('read:messages')).toBe(403);
    expect(await open('read:conversations', 'ai.*')).toBe(403);
  });
});
