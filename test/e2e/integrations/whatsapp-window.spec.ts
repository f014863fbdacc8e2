import type { ConversationDto } from '../../../src/conversations/dto/conversation.dto';
import { Timers } from '../../../src/core/work/timers/timers.service';
import type { TemplateDto } from '../../../src/integrations/templates/templates.dto';
import type { SendResultDto } from '../../../src/messages/dto/message.dto';
import { eventually } from '../../support/eventually';
import { anId } from '../../support/expected';
import { startTestGateway } from '../../support/gateway';
import { WhatsAppGateway } from '../../support/whatsapp-gateway';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

describe('the reply window of WhatsApp', () => {
  const scene = new WhatsAppGateway();
  const { whatsapp } = scene;
  const every = jest.spyOn(Timers.prototype, 'every');

  beforeAll(async () => {
    whatsapp.templates.all.push(
      { name: 'order_update', language: 'en_US', components: [{ type: 'BODY', text: 'Hello {{1}}: {{2}}' }] },
      {
        name: 'bestellung',
        language: 'de',
        components: [
          { type: 'HEADER', format: 'TEXT', text: 'Am {{tag}}' },
          { type: 'BODY', text: 'Hallo {{name}}' },
        ],
        parameter_format: 'NAMED',
      },
      { name: 'paused', language: 'de', status: 'PAUSED', components: [{ type: 'BODY', text: 'Hallo' }] },
      {
        name: 'photo',
        language: 'en_US',
        components: [
          { type: 'HEADER', format: 'IMAGE' },
          { type: 'BODY', text: 'Look' },
        ],
      },
      { name: 'changed', language: 'es', components: [{ type: 'BODY', text: 'Hola {{1}}' }] },
    );
    await scene.start();
    await scene.gateway.api('PATCH', '/admin/settings', { ai: { auto_reply: false } });
    await eventually('the templates are read at the start', async () => expect((await templates()).length).toBe(5));
  });
  afterAll(() => scene.stop());

  const templates = async (query = '') =>
    (await scene.gateway.api<TemplateDto[]>('GET', `/templates${query}`)).body.data;
  const conversationOf = async (participant: string) => {
    const { body } = await scene.gateway.api<ConversationDto[]>('GET', `/conversations?q=${participant}`);
    return (await scene.gateway.api<ConversationDto>('GET', `/conversations/${body.data[0]!.id}`)).body.data;
  };
  /** A person wrote so long ago. */
  const wrote = async (from: string, agoMs: number, message: object = { type: 'text', text: { body: 'Hello' } }) => {
    const at = new Date(Date.now() - agoMs);
    const timestamp = String(Math.floor(at.getTime() / 1_000));
    expect(await whatsapp.post(whatsapp.messageValue({ ...message, timestamp }, { from }))).toBe(200);
    return new Date(Number(timestamp) * 1_000);
  };
  const sendTemplate = (recipient: string, template: object, more: object = {}) =>
    scene.gateway.api<SendResultDto>('POST', '/messages/send', { platform: 'whatsapp', recipient, template, ...more });

  it('opens for 24 hours with the last message, not with a reaction', async () => {
    const at = await wrote('49170001', HOUR_MS);
    const expires_at = new Date(at.getTime() + DAY_MS).toISOString();
    expect((await conversationOf('49170001')).window).toEqual({ open: true, expires_at });
    await wrote('49170001', 0, { type: 'reaction', reaction: { emoji: '👍', message_id: 'wamid.x' } });
    await wrote('49170001', 2 * HOUR_MS);
    expect((await conversationOf('49170001')).window).toEqual({ open: true, expires_at });
    const late = await wrote('49170002', DAY_MS + HOUR_MS);
    const expired = new Date(late.getTime() + DAY_MS).toISOString();
    expect((await conversationOf('49170002')).window).toEqual({ open: false, expires_at: expired });
  });

  it('does not open with a status, nor with a message of the business phone', async () => {
    const person = '49170009';
    const at = await wrote(person, DAY_MS + HOUR_MS);
    await sendTemplate(person, { name: 'bestellung', language: 'de', parameters: { header: 'Montag', body: ['Ada'] } });
    for (const status of ['delivered', 'read'] as const)
      expect(await whatsapp.post(whatsapp.statusValue(scene.sentTo(person)[0]!, status))).toBe(200);
    const echo = { id: 'wamid.echo', to: person, type: 'text', text: { body: 'Grace here' } };
    expect(await whatsapp.postEcho(echo)).toBe(200);
    const { message_count, window } = await conversationOf(person);
    const expires_at = new Date(at.getTime() + DAY_MS).toISOString();
    expect({ message_count, window }).toEqual({ message_count: 3, window: { open: false, expires_at } });
    expect((await scene.send(person)).error).toMatchObject({ code: 'window_closed' });
  });

  it.each(['telegram', 'discord'])('does not exist on %s', async (platform) => {
    const key = scene.gateway.testKey;
    const played = { platform, sender: { id: '81' }, content: 'Hello' };
    const { conversation_id } = (
      await scene.gateway.api<{ conversation_id: string }>('POST', '/sandbox/inbound', played, { key })
    ).body.data;
    const { body } = await scene.gateway.api<ConversationDto>('GET', `/conversations/${conversation_id}`, undefined, {
      key,
    });
    expect(body.data.window).toBeNull();
  });

  it.each([
    ['49170003', ['bestellung']],
    ['34600100200', ['changed']],
    ['33600100200', ['order_update', 'photo']],
  ])('fails a closed text to %s before WhatsApp is called, and names the templates %j', async (person, names) => {
    await wrote(person, DAY_MS + HOUR_MS);
    const result = await scene.send(person);
    const error = { code: 'window_closed', platform_code: null, retryable: false, templates: names };
    expect(result).toMatchObject({ status: 'failed', error });
    expect(scene.sentTo(person)).toEqual([]);
    expect(await scene.read(result.message_id)).toMatchObject({ status: 'failed', error });
    expect(await scene.eventsOf(result.message_id)).toEqual(['message.failed']);
  });

  it('names templates in the language of the last one that the person got', async () => {
    await wrote('49170004', DAY_MS + HOUR_MS);
    await sendTemplate('49170004', { name: 'changed', language: 'es', parameters: { body: ['Ada'] } });
    expect((await scene.send('49170004')).error).toMatchObject({ templates: ['changed'] });
  });

  it('leaves a person who never wrote to WhatsApp, and passes on its refusal', async () => {
    const stranger = '49170005';
    expect((await scene.send(stranger)).status).toBe('sent');
    expect((await conversationOf(stranger)).window).toEqual({ open: false, expires_at: null });
    whatsapp.refuse(stranger, 131_047);
    expect(await scene.send(stranger)).toMatchObject({
      status: 'failed',
      error: { code: 'window_closed', platform_code: '131047', templates: ['bestellung'] },
    });
  });

  it('does not restrict a template, whose content is what the person sees', async () => {
    await wrote('49170006', DAY_MS + HOUR_MS);
    const parameters = { body: ['Ada', 'ready'] };
    const { body } = await sendTemplate('49170006', { name: 'order_update', language: 'en_US', parameters });
    expect(body.data).toMatchObject({ message_id: anId('message'), status: 'sent' });
    expect(await scene.read(body.data.message_id)).toMatchObject({ content: 'Hello Ada: ready' });
    expect(scene.sentTo('49170006')).toMatchObject([
      {
        text: 'Hello Ada: ready',
        params: {
          type: 'template',
          template: {
            name: 'order_update',
            language: { code: 'en_US' },
            components: [
              {
                type: 'body',
                parameters: [
                  { type: 'text', text: 'Ada' },
                  { type: 'text', text: 'ready' },
                ],
              },
            ],
          },
        },
      },
    ]);
    const send_at = new Date(Date.now() + 300).toISOString();
    const later = await sendTemplate(
      '49170006',
      { name: 'bestellung', language: 'de', parameters: { header: 'Montag', body: ['Ada'] } },
      { send_at },
    );
    await eventually('a scheduled one is sent', async () =>
      expect(await scene.read(later.body.data.message_id)).toMatchObject({
        status: 'sent',
        content: 'Am Montag\n\nHallo Ada',
      }),
    );
  });

  it.each([
    ['template.name', { name: 'nothing', language: 'de' }, {}],
    ['template.name', { name: 'order_update', language: 'de' }, {}],
    ['template.name', { name: 'paused', language: 'de' }, {}],
    ['template.parameters.body', { name: 'order_update', language: 'en_US', parameters: { body: ['Ada'] } }, {}],
    ['template.parameters.header', { name: 'photo', language: 'en_US' }, {}],
    ['template.language', { name: 'photo', language: '' }, {}],
    [
      'message',
      { name: 'bestellung', language: 'de', parameters: { header: 'Montag', body: ['Ada'] } },
      { message: 'Hello' },
    ],
    ['template', { name: 'bestellung', language: 'de' }, { platform: 'telegram' }],
  ])('refuses %s of %j', async (parameter, template, more) => {
    expect(await sendTemplate('49170007', template, more)).toMatchObject({
      status: 400,
      body: { error: { code: 'INVALID_PARAMETER', details: { parameter } } },
    });
    expect(scene.sentTo('49170007')).toEqual([]);
  });

  it('names the languages of a template if the given one is missing', async () => {
    const { body } = await sendTemplate('49170007', { name: 'order_update', language: 'de' }, {});
    expect(body).toMatchObject({
      error: { details: { reason: 'is not a template in the language de; its languages are en_US' } },
    });
  });

  it('needs a message or a template', async () => {
    const { body } = await scene.gateway.api('POST', '/messages/send', { platform: 'whatsapp', recipient: '1' });
    expect(body).toMatchObject({ error: { code: 'MISSING_PARAMETER', details: { parameter: 'message' } } });
  });

  it.each([
    [132_000, 'content_rejected'],
    [132_001, 'content_rejected'],
    [132_012, 'content_rejected'],
    [132_015, 'not_permitted'],
    [132_016, 'not_permitted'],
    [131_026, 'recipient_unreachable'],
  ])('passes on that WhatsApp refuses a template with %i', async (code, failure) => {
    whatsapp.refuseNextSend(code);
    const { body } = await sendTemplate('49170008', {
      name: 'bestellung',
      language: 'de',
      parameters: { header: 'Montag', body: ['Ada'] },
    });
    expect(body.data).toMatchObject({ status: 'failed', error: { code: failure, platform_code: String(code) } });
  });

  it('lists the templates in pages, with the JSON Schema of their parameters', async () => {
    const { body } = await scene.gateway.api<TemplateDto[]>('GET', '/templates?per_page=2&sort=-name');
    expect(body.meta.pagination).toEqual({ page: 1, per_page: 2, total: 5, total_pages: 3 });
    expect(body.data.map(({ name }) => name)).toEqual(['photo', 'paused']);
    const [first] = await templates();
    expect(first).toEqual({
      name: 'bestellung',
      language: 'de',
      category: 'UTILITY',
      status: 'APPROVED',
      components: [
        { type: 'HEADER', format: 'TEXT', text: 'Am {{tag}}' },
        { type: 'BODY', text: 'Hallo {{name}}' },
      ],
      parameters: expect.objectContaining({ required: ['header', 'body'] }) as object,
    });
  });

  it('reloads the templates on request, and when Meta reports a change', async () => {
    whatsapp.templates.all.pop();
    const synced = await scene.gateway.api('POST', '/templates/sync');
    expect(synced.body.data).toMatchObject({ templates: 4 });
    expect((await templates()).map(({ name }) => name)).not.toContain('changed');
    whatsapp.templates.all.push({ name: 'new', language: 'fr', components: [{ type: 'BODY', text: 'Bonjour' }] });
    expect(await whatsapp.postTemplateUpdate()).toBe(200);
    await eventually('it is read', async () => expect((await templates()).map(({ name }) => name)).toContain('new'));
    whatsapp.templates.all.find(({ name }) => name === 'new')!.category = 'MARKETING';
    expect(await whatsapp.postTemplateUpdate('template_category_update')).toBe(200);
    await eventually('its category is read', async () =>
      expect((await templates()).find(({ name }) => name === 'new')!.category).toBe('MARKETING'),
    );
  });

  it('reloads the templates every hour', async () => {
    const [, everyMs, run] = every.mock.calls.find(([name]) => name === 'Template synchronization')!;
    expect(everyMs).toBe(HOUR_MS);
    whatsapp.templates.all.push({ name: 'hourly', language: 'fr', components: [{ type: 'BODY', text: 'Salut' }] });
    await run(new AbortController().signal);
    expect((await templates()).map(({ name }) => name)).toContain('hourly');
  });

  it('names three templates at most', async () => {
    const components = [{ type: 'BODY', text: 'Ciao' }];
    for (const name of ['a', 'b', 'c', 'd']) whatsapp.templates.all.push({ name, language: 'it', components });
    await scene.gateway.api('POST', '/templates/sync');
    await wrote('39600100200', DAY_MS + HOUR_MS);
    expect((await scene.send('39600100200')).error).toMatchObject({ templates: ['a', 'b', 'c'] });
  });

  it('has no templates without WHATSAPP_BUSINESS_ACCOUNT_ID, and says why', async () => {
    const env = { ...whatsapp.env, WHATSAPP_BUSINESS_ACCOUNT_ID: '' };
    const without = await startTestGateway({ env });
    expect((await without.api('GET', '/templates')).body.data).toEqual([]);
    expect(await without.api('POST', '/templates/sync')).toMatchObject({
      status: 400,
      body: {
        error: { code: 'PLATFORM_NOT_CONNECTED', details: { reason: 'WHATSAPP_BUSINESS_ACCOUNT_ID is not set' } },
      },
    });
    await without.stop();
  });

  it('does not exist in the sandbox, which has three templates', async () => {
    const key = scene.gateway.testKey;
    const played = { platform: 'whatsapp', sender: { id: '49170' }, content: 'Hello' };
    await scene.gateway.api('POST', '/sandbox/inbound', played, { key });
    await scene.gateway.sql(
      `UPDATE conversations SET last_inbound_at = now() - interval '25 hours' WHERE environment = 'test'`,
    );
    const text = { platform: 'whatsapp', recipient: '49170', message: 'Hello' };
    const sent = await scene.gateway.api('POST', '/messages/send', text, { key });
    expect(sent.body.data).toMatchObject({ status: 'sent' });
    const list = await scene.gateway.api<TemplateDto[]>('GET', '/templates', undefined, { key });
    expect(list.body.data.map(({ name }) => name)).toEqual(['hello_world', 'order_update', 'termin_erinnerung']);
    const template = { name: 'hello_world', language: 'en_US' };
    const body = { platform: 'whatsapp', recipient: '49170', template };
    expect((await scene.gateway.api('POST', '/messages/send', body, { key })).body.data).toMatchObject({
      status: 'sent',
    });
    expect((await scene.gateway.api('POST', '/templates/sync', undefined, { key })).body.data).toMatchObject({
      templates: 3,
    });
  });
});
