import type { Page } from 'playwright-core';
import { AnthropicFake } from '../fakes/anthropic.fake';
import { TelegramFake } from '../fakes/telegram.fake';
import { eventually } from '../support/eventually';
import { useGateway } from '../support/gateway';
import { axeFaults } from './support/axe';
import { describeInBrowser, openPage } from './support/chromium';
import { signIn } from './support/sign-in';

const anthropic = new AnthropicFake();
const telegram = new TelegramFake();
const gateway = useGateway({ anthropic, telegram });

const open = async (path: string): Promise<Page> => {
  const { page } = await openPage(gateway.url);
  await signIn(page, gateway.liveKey, `/dashboard${path}`);
  return page;
};
const conversations = async (filter = '') =>
  (await gateway.api<{ id: string; handling: string }[]>('GET', `/conversations?${filter}`)).body.data;

describeInBrowser('the dashboard and the messages without an answer', () => {
  it('says in one sentence why a person got no answer, and asks again', async () => {
    anthropic.replyWith(() => 'We open at nine.');
    await gateway.api('PATCH', '/admin/settings', { ai: { answer_within_minutes: 0 } });
    anthropic.fail({ status: 529, times: Infinity, retryAfter: 86_400 });
    telegram.receiveText({ chatId: 500, text: 'Do you sell umbrellas?' });
    const { id } = await eventually('the conversation is unanswered', async () => {
      const [found] = await conversations('unanswered=true');
      expect(found).toBeDefined();
      return found!;
    });
    const page = await open(`/conversations/${id}`);
    const bar = page.getByRole('region', { name: 'No answer' });
    await bar.getByText('No answer: the AI is overloaded.').waitFor();
    expect(await axeFaults(page)).toEqual([]);

    await page.getByRole('log').getByRole('link', { name: 'What happened' }).first().click();
    const pane = page.getByRole('complementary', { name: 'What happened' });
    await pane.getByText('No answer: the AI is overloaded.').first().waitFor();
    await pane.getByText(/^Events, webhooks and requests \(\d+\)$/).waitFor();
    await pane.getByRole('button', { name: 'Take over' }).waitFor();
    expect(await axeFaults(page)).toEqual([]);

    anthropic.clearFaults();
    await bar.getByRole('button', { name: 'Ask again' }).click();
    await page.getByRole('log').getByText('We open at nine.').waitFor();
    await bar.waitFor({ state: 'detached' });
    await page.context().close();
  }, 60_000);

  it('asks before it sends several failed messages again; the assistant keeps the conversations', async () => {
    const chats = [601, 602];
    for (const chatId of chats) {
      telegram.receiveText({ chatId, text: 'Hello' });
      telegram.block(chatId);
    }
    await eventually('both have their answers, which failed', async () => {
      const failed = await gateway.api<object[]>('GET', '/messages?status=failed');
      expect(failed.body.data).toHaveLength(chats.length);
    });
    for (const chatId of chats) telegram.unblock(chatId);
    const sent = telegram.sent.length;
    const page = await open('/');
    const problem = page
      .getByRole('list', { name: 'Problems' })
      .getByRole('listitem')
      .filter({ hasText: 'Messages on' });
    await problem.getByRole('button', { name: 'Send the newest 2 again' }).click();
    const dialog = page.getByRole('dialog', { name: 'Send 2 messages again?' });
    expect(telegram.sent).toHaveLength(sent);
    await dialog.getByRole('button', { name: 'Send 2 messages' }).click();
    await problem.waitFor({ state: 'detached' });
    expect(telegram.sent).toHaveLength(sent + 2);
    expect(await conversations('handling=human')).toEqual([]);
    await page.context().close();
  }, 60_000);

  it('finds a message by its words and a person by a phone number with spaces, and counts the tabs', async () => {
    const test = { key: gateway.testKey };
    const say = (platform: string, sender: object, content: string) =>
      gateway.api<{ conversation_id: string }>('POST', '/sandbox/inbound', { platform, sender, content }, test);
    await gateway.api('PATCH', '/admin/settings', { ai: { auto_reply: false } }, test);
    const { body } = await say('telegram', { id: '701', name: 'Bea' }, 'Is order 4711 refunded?');
    await say('whatsapp', { id: '491701234567', name: 'Cem' }, 'Good morning');
    const id = body.data.conversation_id;
    await gateway.api('PATCH', `/conversations/${id}`, { labels: ['vip'] }, test);
    await gateway.api('POST', `/conversations/${id}/handover`, { assignee: 'Grace', note: 'Wants it today' }, test);
    const answer = { platform: 'telegram', recipient: '701', message: 'Is it for Bea? Grace here.' };
    await gateway.api('POST', '/messages/send', answer, test);
    const { page } = await openPage(gateway.url);
    await page.addInitScript(`localStorage.setItem('gateway.assignee', 'Grace')`);
    await signIn(page, gateway.testKey, '/dashboard/conversations');
    const list = page.getByRole('list', { name: 'Conversations' });
    await list.getByRole('link', { name: /Bea.*Is order 4711 refunded\?.*vip/ }).waitFor();
    await page.getByRole('group', { name: 'Show' }).getByRole('button', { name: 'Mine 1' }).click();
    await list.getByRole('link', { name: /Cem/ }).waitFor({ state: 'detached' });
    await list.getByRole('link', { name: /Bea/ }).waitFor();
    await page.getByRole('group', { name: 'Show' }).getByRole('button', { name: 'All' }).click();

    const focused = () => page.evaluate<string>('document.activeElement.textContent');
    await page.evaluate('document.activeElement.blur()');
    await page.keyboard.press('j');
    expect(await focused()).toContain('Bea');
    await page.keyboard.press('ArrowDown');
    expect(await focused()).toContain('Cem');
    await page.keyboard.press('k');
    expect(await focused()).toContain('Bea');

    const search = page.getByRole('searchbox', { name: 'Search conversations' });
    await search.fill('refund');
    await page.getByRole('region', { name: 'Messages found' }).waitFor();
    const found = page.getByRole('region', { name: 'Messages found' });
    expect(await axeFaults(page)).toEqual([]);
    await found.getByRole('link', { name: /Bea.*Is order 4711 refunded/ }).click();
    await page.getByRole('log').getByText('Is order 4711 refunded?').waitFor();
    await page
      .getByRole('log')
      .getByText(/^Grace took over\. Note: Wants it today/)
      .waitFor();
    await page.getByRole('log').getByText('Is it for Bea? Grace here.').waitFor();
    const own = page.getByRole('article').filter({ hasText: 'Is it for Bea? Grace here.' });
    await own.locator('footer').getByText('Grace', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Close what happened' }).click();
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Labels' }).click();
    await page.getByRole('dialog').getByLabel('Labels').last().fill('vip, refund');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.locator('header').getByText('refund', { exact: true }).waitFor();
    await search.fill('+49 170 1234567');
    await list.getByRole('link', { name: /Cem/ }).waitFor();
    await page.context().close();
  }, 60_000);
});
