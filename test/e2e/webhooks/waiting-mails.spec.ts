import type { ConversationDto } from '../../../src/conversations/dto/conversation.dto';
import { AnthropicFake } from '../../fakes/anthropic.fake';
import { SmtpFake } from '../../fakes/smtp.fake';
import { TelegramFake } from '../../fakes/telegram.fake';
import { expectAtMost } from '../../hostile/figures';
import { eventually } from '../../support/eventually';
import { startTestGateway, type TestGateway } from '../../support/gateway';

const PEOPLE = 20;

describe('Mails about conversations that wait for a person', () => {
  const telegram = new TelegramFake();
  const anthropic = new AnthropicFake();
  const smtp = new SmtpFake();
  let gateway: TestGateway;

  beforeAll(async () => {
    await Promise.all([telegram.start(), anthropic.start(), smtp.start()]);
    const env = { SMTP_URL: smtp.url, OWNER_EMAIL: 'owner@example.com', PUBLIC_URL: 'https://chat.example.com/' };
    gateway = await startTestGateway({ telegram, anthropic, env });
    await gateway.connected('telegram');
    const settings = { handover: { phrases: ['talk to a person'] } };
    expect((await gateway.api('PATCH', '/admin/settings', settings)).status).toBe(200);
  });

  const waiting = (count: number) =>
    eventually(`${count} wait`, async () =>
      expect(await gateway.sql(`SELECT FROM handovers WHERE environment = 'live' AND notify_at > now()`)).toHaveLength(
        count,
      ),
    );
  const makeDue = () =>
    gateway.sql(`UPDATE handovers SET notify_at = now() - interval '1 second' WHERE notify_at > now()`);
  const ask = (chatId: number) => telegram.receiveText({ chatId, text: 'May I talk to a person?' });
  const textOf = (index: number) => smtp.mails[index]!.source.replace(/=\r?\n/g, '').replaceAll('=3D', '=');

  it('arrive at once for the first, with person, platform and link, then in one mail, never for test conversations', async () => {
    const body = { platform: 'telegram', sender: { id: '1' }, content: 'May I talk to a person?' };
    await gateway.api('POST', '/sandbox/inbound', body, { key: gateway.testKey });
    ask(99);
    await waiting(1);
    const [taken] = (await gateway.api<ConversationDto[]>('GET', '/conversations')).body.data;
    await gateway.api('POST', `/conversations/${taken!.id}/handover`, {});
    ask(100);
    await waiting(1);
    await makeDue();
    await eventually('the first mail is sent', () => expect(smtp.mails).toHaveLength(1), { timeoutMs: 25_000 });
    const { data } = (await gateway.api<ConversationDto[]>('GET', '/conversations')).body;
    const { id, participant } = data[0]!;
    expect(textOf(0)).not.toContain(taken!.id);
    expect(textOf(0)).toContain(`Subject: ${participant.name} waits for a person`);
    expect(textOf(0)).toContain(`${participant.name} on telegram`);
    expect(textOf(0)).toContain(`https://chat.example.com/dashboard/conversations/${id}`);

    for (let chat = 101; chat <= 100 + PEOPLE; chat += 1) ask(chat);
    await waiting(PEOPLE);
    // The time of the first mail passes.
    await gateway.sql(`UPDATE handovers SET notify_at = notify_at - interval '10 minutes' WHERE notify_at <= now()`);
    await gateway.sql(`UPDATE mail_outbox SET created_at = created_at - interval '10 minutes'`);
    await makeDue();
    await eventually('the others are mailed', () => expect(smtp.mails).toHaveLength(2), { timeoutMs: 25_000 });
    await waiting(0);
    expect(textOf(1)).toContain(`Subject: ${PEOPLE} conversations wait for a person`);
    expectAtMost({
      name: `mails about ${PEOPLE + 1} waiting conversations`,
      value: smtp.mails.length,
      unit: 'mails',
      most: 2,
    });

    // One more within ten minutes waits.
    ask(900);
    await waiting(1);
    await makeDue();
    await gateway.api('DELETE', `/conversations/${id}`);
    await eventually('the name is erased from the mail', async () => {
      const [mail] = await gateway.sql<{ subject: string; text: string }>(
        'SELECT subject, text FROM mail_outbox ORDER BY created_at LIMIT 1',
      );
      expect(mail!.subject).toBe('An erased person waits for a person');
      expect(mail!.text).toContain(`  An erased person\n  Conversation:  ${id}`);
    });
    expect(smtp.mails).toHaveLength(2);
  });
});
