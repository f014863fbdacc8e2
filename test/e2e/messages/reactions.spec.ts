import type { TimelineStepDto } from '../../../src/timeline/dto/timeline.dto';
import { TelegramFake } from '../../fakes/telegram.fake';
import { eventually } from '../../support/eventually';
import { startTestGateway, type TestGateway } from '../../support/gateway';
import { WhatsAppGateway } from '../../support/whatsapp-gateway';

const SECOND = 1_000;

/** The reactions in the timeline of a message. */
async function reactionsTo(gateway: TestGateway, id: string) {
  const { body } = await gateway.api<TimelineStepDto[]>('GET', `/messages/${id}/timeline`);
  return body.data.flatMap((step) => (step.step === 'receipt' && step.data.status === 'reacted' ? [step] : []));
}

const inboundOf = async (gateway: TestGateway) =>
  (await gateway.sql(`SELECT id FROM messages WHERE direction = 'inbound'`)).length;

describe('a reaction on WhatsApp', () => {
  const scene = new WhatsAppGateway();

  beforeAll(() => scene.start());
  afterAll(() => scene.stop());

  const react = (message_id: string, emoji: string, secondsAgo: number) => {
    const timestamp = String(Math.floor(Date.now() / SECOND) - secondsAgo);
    const message = { type: 'reaction', reaction: { message_id, emoji }, timestamp };
    return scene.whatsapp.post(scene.whatsapp.messageValue(message, { from: '49180' }));
  };

  it('is a step of the timeline, without a message, an answer or a window', async () => {
    const { message_id: id } = await scene.send('49180');
    const wamid = scene.sentTo('49180')[0]!.id;
    expect(await react(wamid, '👍', 10)).toBe(200);
    const step = { title: 'Reaction: 👍', data: { message_id: id, reaction: '👍', confirmation: null } };
    expect(await reactionsTo(scene.gateway, id)).toMatchObject([step]);
    expect(await inboundOf(scene.gateway)).toBe(0);
    const windows = await scene.gateway.sql('SELECT last_inbound_at FROM conversations');
    expect(windows).toEqual([{ last_inbound_at: null }]);
  });

  it('is replaced by a later one, not by an earlier one that arrives again', async () => {
    const { message_id: id } = await scene.send('49180', 'Again');
    const wamid = scene.sentTo('49180').at(-1)!.id;
    await react(wamid, '👍', 10);
    await react(wamid, '', 5);
    await react(wamid, '👍', 10);
    const steps = await reactionsTo(scene.gateway, id);
    expect(steps).toMatchObject([{ title: 'Reaction removed', data: { reaction: null } }]);
  });

  it('on an unknown message changes nothing', async () => {
    expect(await react('wamid.unknown', '👍', 1)).toBe(200);
    expect(await inboundOf(scene.gateway)).toBe(0);
  });
});

describe('a reaction on Telegram', () => {
  it('is a step of the timeline, in either direction', async () => {
    const telegram = await new TelegramFake().start();
    const gateway = await startTestGateway({ telegram });
    await gateway.connected('telegram');
    await gateway.api('PATCH', '/admin/settings', { ai: { auto_reply: false } });
    const request = { platform: 'telegram', recipient: '7', message: 'Hello' };
    const { body } = await gateway.api<{ message_id: string }>('POST', '/messages/send', request);
    const chat = { id: 7, type: 'private', first_name: 'Ann' };
    telegram.receiveText({ chatId: 7, text: 'Hello' });
    await eventually('the message is stored', async () => expect(await inboundOf(gateway)).toBe(1));
    const [inbound] = (await gateway.api<{ id: string }[]>('GET', '/messages?direction=inbound')).body.data;
    const [{ received_id }] = (await gateway.sql<{ received_id: string }>(
      'SELECT received_id FROM messages WHERE received_id IS NOT NULL',
    )) as [{ received_id: string }];
    for (const message_id of [telegram.sent[0]!.message_id, Number(received_id.split(':')[1])])
      telegram.receive({
        message_reaction: {
          chat,
          message_id,
          user: { id: 7, is_bot: false, first_name: 'Ann' },
          date: Math.floor(Date.now() / SECOND),
          old_reaction: [],
          new_reaction: [{ type: 'emoji', emoji: '❤' }],
        },
      });
    for (const id of [body.data.message_id, inbound!.id])
      await eventually('the reaction is shown', async () => {
        expect(await reactionsTo(gateway, id)).toMatchObject([{ data: { message_id: id, reaction: '❤' } }]);
      });
    expect(await inboundOf(gateway)).toBe(1);
  });
});
