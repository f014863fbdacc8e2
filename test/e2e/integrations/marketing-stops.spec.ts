import type { ConversationDto } from '../../../src/conversations/dto/conversation.dto';
import type { SendResultDto } from '../../../src/messages/dto/message.dto';
import { eventually } from '../../support/eventually';
import { aTimestamp } from '../../support/expected';
import { WhatsAppGateway } from '../../support/whatsapp-gateway';

const STOPPED_BY_THE_PERSON = 131050;

describe('A person who stops marketing messages', () => {
  const scene = new WhatsAppGateway();
  const { whatsapp } = scene;

  beforeAll(async () => {
    const components = [{ type: 'BODY', text: 'Fresh bread' }];
    whatsapp.templates.all.push(
      { name: 'sale', language: 'en', category: 'MARKETING', components },
      { name: 'shipped', language: 'en', category: 'UTILITY', components },
    );
    await scene.start();
    await eventually('the templates are read at the start', async () =>
      expect((await scene.gateway.api<object[]>('GET', '/templates')).body.data).toHaveLength(2),
    );
  });
  afterAll(() => scene.stop());

  const send = async (recipient: string, name = 'sale') => {
    const template = { name, language: 'en', parameters: {} };
    const { body } = await scene.gateway.api<SendResultDto>('POST', '/messages/send', {
      platform: 'whatsapp',
      recipient,
      template,
    });
    return body.data;
  };
  const prefer = async (wa_id: string, allowed: boolean, at = new Date()) => {
    const value = allowed ? 'resume' : 'stop';
    const timestamp = Math.floor(at.getTime() / 1_000);
    const preference = { wa_id, category: 'marketing_messages', value, timestamp };
    const change = {
      ...whatsapp.messageValue({}, { from: wa_id }),
      messages: undefined,
      user_preferences: [preference],
    };
    expect(await whatsapp.postChange('user_preferences', change)).toBe(200);
  };
  const conversationOf = async (participant: string) => {
    const { body } = await scene.gateway.api<ConversationDto[]>('GET', `/conversations?q=${participant}`);
    return (await scene.gateway.api<ConversationDto>('GET', `/conversations/${body.data[0]!.id}`)).body.data;
  };
  const isStopped = { status: 'failed', error: { code: 'opted_out', platform_code: null } };

  it('gets no marketing template, but others, until the person allows marketing again', async () => {
    const person = '491700000031';
    await prefer(person, false, new Date('2026-11-28T08:00:00Z'));
    expect(await send(person)).toMatchObject(isStopped);
    expect(scene.sentTo(person)).toHaveLength(0);
    expect((await conversationOf(person)).marketing_stop).toEqual({ since: '2026-11-28T08:00:00.000Z', until: null });
    expect((await send(person, 'shipped')).status).toBe('sent');
    await prefer(person, true, new Date('2026-11-28T07:00:00Z'));
    expect(await send(person)).toMatchObject(isStopped);
    await prefer(person, true, new Date(Date.now() + 1_000));
    expect((await send(person)).status).toBe('sent');
    expect((await conversationOf(person)).marketing_stop).toBeNull();
  });

  it('is known under each id of the person', async () => {
    const [number, userId] = ['491700000032', 'US.13491208655302741920'];
    await prefer(number, false);
    const system = { from: number, userId };
    whatsapp.receiveText({ ...system, text: 'Hello' });
    await eventually('the ids are one person', async () =>
      expect(
        await scene.gateway.sql('SELECT FROM participant_aliases WHERE $1 IN (alias, participant_id)', [number]),
      ).toHaveLength(1),
    );
    expect(await send(userId)).toMatchObject(isStopped);
  });

  it('is tried again after seven days if only a refused message shows the stop', async () => {
    const person = '491700000033';
    whatsapp.refuseNextSend(STOPPED_BY_THE_PERSON);
    expect(await send(person)).toMatchObject({
      status: 'failed',
      error: { code: 'opted_out', platform_code: '131050' },
    });
    expect(await send(person)).toMatchObject(isStopped);
    const { marketing_stop: stop } = await conversationOf(person);
    expect(stop).toEqual({ since: aTimestamp(), until: aTimestamp() });
    expect(Date.parse(stop!.until!) - Date.parse(stop!.since)).toBe(7 * 86_400_000);
    await scene.gateway.sql(
      `UPDATE marketing_preferences SET changed_at = changed_at - interval '7 days', ends_at = ends_at - interval '7 days'
       WHERE participant_id = $1`,
      [person],
    );
    expect((await send(person)).status).toBe('sent');
  });

  it('may choose again in the second in which Meta refused a message', async () => {
    const person = '491700000035';
    const refused = async () => {
      whatsapp.refuseNextSend(STOPPED_BY_THE_PERSON);
      await send(person);
      return (await conversationOf(person)).marketing_stop!;
    };
    const refusedAt = new Date((await refused()).since);
    await prefer(person, true, refusedAt);
    expect((await conversationOf(person)).marketing_stop).toBeNull();
    await prefer(person, false, refusedAt);
    expect((await conversationOf(person)).marketing_stop).toMatchObject({ until: null });
  });

  it('may choose under another id in the second in which Meta refused a message', async () => {
    const [number, userId] = ['491700000036', 'US.13491208655302741921'];
    whatsapp.refuseNextSend(STOPPED_BY_THE_PERSON);
    await send(userId);
    const stop = (await conversationOf(userId)).marketing_stop!;
    await prefer(number, true, new Date(stop.since));
    whatsapp.receiveText({ from: number, userId, text: 'Hello' });
    await eventually('the ids are one person', async () =>
      expect(await scene.gateway.sql('SELECT FROM participant_aliases WHERE alias = $1', [userId])).toHaveLength(1),
    );
    expect((await conversationOf(number)).marketing_stop).toBeNull();
  });

  it('is also recognised by a receipt, and deleted with the erasure', async () => {
    const person = '491700000034';
    await send(person);
    const failed = whatsapp.statusValue(scene.sentTo(person)[0]!, 'failed', { code: STOPPED_BY_THE_PERSON });
    expect(await whatsapp.post(failed)).toBe(200);
    expect(await send(person)).toMatchObject(isStopped);
    const { id } = await conversationOf(person);
    await scene.gateway.api('DELETE', `/conversations/${id}`);
    const left = await scene.gateway.sql('SELECT FROM marketing_preferences WHERE participant_id = $1', [person]);
    expect(left).toEqual([]);
  });

  it("stays known to another account when one account's conversation is erased", async () => {
    const person = '491700000035';
    await send(person, 'shipped');
    await scene.gateway.sql(
      `INSERT INTO marketing_preferences (environment, platform, account, participant_id, allowed, changed_at)
       VALUES ('live', 'whatsapp', 'other', $1, false, now())`,
      [person],
    );
    await scene.gateway.sql(
      `INSERT INTO participant_aliases (environment, platform, account, alias, participant_id)
       VALUES ('live', 'whatsapp', 'other', '0170 35', $1)`,
      [person],
    );
    const { id } = await conversationOf(person);
    await scene.gateway.api('DELETE', `/conversations/${id}`);
    for (const table of ['marketing_preferences', 'participant_aliases'])
      expect(await scene.gateway.sql(`SELECT account FROM ${table} WHERE participant_id = $1`, [person])).toEqual([
        { account: 'other' },
      ]);
  });
});
