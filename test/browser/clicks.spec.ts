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

const unanswered = async () => (await gateway.api<object[]>('GET', '/conversations?unanswered=true')).body.data;
const write = (chatId: number, first_name: string, text: string) =>
  telegram.receiveText({ chatId, text, from: { id: chatId, is_bot: false, first_name } });

/** A page at the overview, which counts the clicks of a person from then on. */
async function atOverview(): Promise<{ page: Page; clicks: () => Promise<number> }> {
  const { page } = await openPage(gateway.url);
  await signIn(page, gateway.liveKey);
  await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
  await page.evaluate(`window.clicks = 0; addEventListener('click', () => { window.clicks += 1; }, true)`);
  return { page, clicks: () => page.evaluate<number>('window.clicks') };
}

const open = (page: Page, name: RegExp) =>
  page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name }).click();

describeInBrowser('a person at the overview', () => {
  beforeAll(async () => {
    await gateway.connected('telegram');
    const settings = { ai: { answer_within_minutes: 0 }, handover: { phrases: ['a person, please'] } };
    await gateway.api('PATCH', '/admin/settings', settings);
    anthropic.replyWith(() => 'We open at nine.');
    write(801, 'Ada', 'When do you open?');
    await telegram.waitForSent(1);
    write(802, 'Bea', 'I want a person, please');
    anthropic.fail({ status: 529, times: Infinity, retryAfter: 86_400 });
    write(803, 'Cem', 'Do you sell umbrellas?');
    await eventually('one conversation has no answer', async () => expect(await unanswered()).toHaveLength(1));
  }, 60_000);

  it('reads why a person got no answer without a click, and is there with one', async () => {
    const { page, clicks } = await atOverview();
    const people = page.getByRole('list', { name: 'Without an answer' });
    await people
      .getByRole('listitem')
      .filter({ hasText: 'Cem' })
      .getByText('No answer: the AI is overloaded.')
      .waitFor();
    expect(await clicks()).toBe(0);
    expect(await axeFaults(page)).toEqual([]);
    await people.getByRole('link', { name: 'Cem' }).click();
    await page.getByRole('region', { name: 'No answer' }).getByText('No answer: the AI is overloaded.').waitFor();
    expect(await clicks()).toBe(1);
  });

  it('finds a message by its words with two clicks', async () => {
    const { page, clicks } = await atOverview();
    await open(page, /^Conversations/);
    await page.getByRole('searchbox', { name: 'Search conversations' }).fill('umbrella');
    await page.getByRole('region', { name: 'Messages found' }).getByRole('link', { name: /^Cem/ }).click();
    await page.getByRole('log').getByText('Do you sell umbrellas?').waitFor();
    expect(await clicks()).toBe(2);
  });

  it('reads the cost of each person with one click', async () => {
    const { page, clicks } = await atOverview();
    await open(page, /^Statistics/);
    const costs = page.getByRole('region', { name: 'AI costs', exact: true });
    await costs.getByRole('row', { name: /^Ada.*\$0\.0/ }).waitFor();
    expect(await clicks()).toBe(1);
  });

  it('reads who waits for a person without a click, and is there with one', async () => {
    const { page, clicks } = await atOverview();
    const waiting = page
      .getByRole('list', { name: 'Problems' })
      .getByRole('listitem')
      .filter({ hasText: /Bea waits for a person/ });
    await waiting.getByRole('link', { name: 'Bea' }).click();
    await page.getByRole('log').getByText('I want a person, please').waitFor();
    expect(await clicks()).toBe(1);
  });

  it('erases a person with four clicks', async () => {
    const { page, clicks } = await atOverview();
    await page.getByRole('button', { name: /^Go to …/ }).click();
    await page.getByRole('combobox', { name: 'A page, a name, a number or an id' }).fill('Ada');
    await page.getByRole('option', { name: /^Ada/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Erase' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Erase' }).click();
    await page.getByText('The conversation is erased.').waitFor();
    expect(await clicks()).toBe(4);
  });
});
