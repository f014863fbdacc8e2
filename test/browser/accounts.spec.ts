import type { Page } from 'playwright-core';
import { finishSchema } from '../../src/core/database/data-source';
import { OpenAiFake } from '../fakes/openai.fake';
import { RouterFake } from '../fakes/router.fake';
import { TelegramFake } from '../fakes/telegram.fake';
import { eventually } from '../support/eventually';
import { startTestGateway, type TestGateway } from '../support/gateway';
import { axeFaults } from './support/axe';
import { describeInBrowser, openPage } from './support/chromium';
import { signIn } from './support/sign-in';

const START_TIMEOUT_MS = 90_000;
const VIEWPORT = { width: 1280, height: 900 };

describeInBrowser('the accounts of the dashboard', () => {
  const shop = new TelegramFake({ token: '4242:shop', bot: { username: 'shop_bot' } });
  const support = new TelegramFake({ token: '5353:support', bot: { username: 'support_bot' } });
  const router = new RouterFake(({ url }) => (url!.includes('5353') ? support.url : shop.url));
  const openai = new OpenAiFake();
  let gateway: TestGateway;
  let page: Page;

  const main = () => page.getByRole('main');
  const shot = async (name: string) => {
    if (process.env['SHOTS']) await page.screenshot({ path: `${process.env['SHOTS']}/${name}.png`, fullPage: true });
  };
  const act = async (item: string) => {
    await main().getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: item }).click();
  };

  beforeAll(async () => {
    await Promise.all([shop.start(), support.start(), router.start(), openai.start()]);
    gateway = await startTestGateway({ env: { TELEGRAM_API_ROOT: router.url, AI_ALLOWED_CIDRS: '127.0.0.0/8' } });
    ({ page } = await openPage(gateway.url, { viewport: VIEWPORT }));
    await signIn(page, gateway.liveKey);
  }, START_TIMEOUT_MS);
  afterAll(async () => {
    await gateway.stop();
    await Promise.all([shop.stop(), support.stop(), router.stop(), openai.stop()]);
  });

  it('the first steps lead to a connected bot, its name and its first message, and name no variable', async () => {
    await main().getByRole('heading', { name: 'First steps' }).waitFor();
    await shot('first-steps');
    expect(await main().textContent()).not.toMatch(/[A-Z]+_[A-Z]+/);
    await main().getByRole('link', { name: 'Connect a platform' }).click();
    await main()
      .getByRole('link', { name: /^Telegram/ })
      .click();
    await main().getByText('Use this token to access the HTTP API').waitFor();
    expect(await axeFaults(page)).toEqual([]);
    await shot('connect-telegram');

    const connect = main().getByRole('button', { name: 'Check and connect' });
    await connect.click();
    await main().getByText('Fill this in.').waitFor();
    await main().getByLabel('Bot token').fill('4242:wrong');
    await connect.click();
    await main()
      .getByText(/^Telegram refuses the bot token\. Use the one that @BotFather shows/)
      .waitFor();
    expect(await axeFaults(page)).toEqual([]);
    await main().getByLabel('Bot token').fill(` ${shop.token} `);
    await main().getByLabel('Name').fill('Shop');
    await connect.click();
    await main().getByText('Telegram is connected as @shop_bot.').waitFor();
    await main().getByText('Waiting for the message …').waitFor();
    expect(await axeFaults(page)).toEqual([]);
    await shot('connected');

    shop.receiveText({ chatId: 7, text: 'Is this thing on?' });
    await main().getByText('Is this thing on?').waitFor();
    expect(await axeFaults(page)).toEqual([]);
    await shot('first-message');
    await page.reload();
    await main().getByText('Is this thing on?').waitFor();
    await main().getByRole('link', { name: 'Open the conversation' }).click();
    await page.getByRole('log').getByText('Is this thing on?').waitFor();
  }, 60_000);

  it('the first steps take the key of the AI and check it', async () => {
    await page.goto('/dashboard');
    await main().getByRole('button', { name: 'OpenAI or another' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Base URL').fill(openai.baseUrl);
    await dialog.getByLabel('API key').fill('wrong');
    await dialog.getByRole('button', { name: 'Set the key' }).click();
    await dialog.getByText('The key is stored, but the provider refuses it.').waitFor();
    await dialog.getByLabel('API key').fill(openai.apiKey);
    await dialog.getByRole('button', { name: 'Set the key' }).click();
    await page.getByText(/^The key works: \d+ models?\.$/).waitFor();
    await main().getByRole('heading', { name: 'First steps' }).waitFor({ state: 'detached' });
  }, 60_000);

  it('a token is replaced, and only by one of the same bot', async () => {
    await page.goto('/dashboard/accounts');
    await main().getByText('@shop_bot').waitFor();
    await shot('accounts');
    await main().getByRole('link', { name: 'Shop' }).click();
    shop.token = '4242:rolled';
    await act('Replace the credentials');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Bot token').fill(support.token);
    await dialog.getByRole('button', { name: 'Check and save' }).click();
    await dialog.getByText('This is another bot or number. Connect it as an account of its own.').waitFor();
    await dialog.getByLabel('Bot token').fill(shop.token);
    await dialog.getByRole('button', { name: 'Check and save' }).click();
    await page.getByText('The new credentials of Shop work.').waitFor();
    await main().getByText('connected', { exact: true }).waitFor();
  }, 60_000);

  it('its settings show what they inherit, are tried, saved, and inherited again', async () => {
    await main().getByText('Inherited: You are a helpful assistant').waitFor();
    await main().getByRole('button', { name: 'Override for this account: System prompt' }).click();
    await main().getByRole('textbox', { name: 'System prompt' }).fill('You answer for the umbrella shop.');
    await main().getByRole('button', { name: 'Try before saving' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Changed: System prompt.').waitFor();
    await dialog.getByLabel('Conversation').click();
    await page.getByRole('option').first().click();
    await dialog.getByRole('button', { name: 'Try', exact: true }).click();
    await dialog.getByText(/tokens in, /).waitFor();
    expect(JSON.stringify(openai.requests.at(-1)!.body)).toContain('You answer for the umbrella shop.');
    await page.keyboard.press('Escape');
    await main().getByRole('button', { name: 'Save', exact: true }).click();
    await main().getByText('Everything is saved.').waitFor();
    expect(await axeFaults(page)).toEqual([]);
    await shot('account');
    const prompt = async () =>
      (await gateway.integration<{ settings: { ai: { system_prompt: string | null } } }>('telegram')).settings.ai
        .system_prompt;
    expect(await prompt()).toBe('You answer for the umbrella shop.');
    await main().getByRole('button', { name: 'Inherit again: System prompt' }).click();
    await main().getByRole('button', { name: 'Save', exact: true }).click();
    await main().getByText('Everything is saved.').waitFor();
    expect(await prompt()).toBeNull();
  }, 60_000);

  it('a second bot needs the finished schema, and the page names the command; then conversations name their account', async () => {
    await page.goto('/dashboard/accounts/connect?platform=telegram');
    const connect = main().getByRole('button', { name: 'Check and connect' });
    await main().getByLabel('Bot token').fill(support.token);
    await connect.click();
    await main().getByText('gateway migrate --finish', { exact: true }).waitFor();
    expect(await axeFaults(page)).toEqual([]);
    await shot('finish');
    await finishSchema(gateway.databaseUrl, { info: () => undefined, warn: () => undefined });
    await connect.click();
    await main().getByText('Telegram is connected as @support_bot.').waitFor();
    support.receiveText({ chatId: 7, text: 'I need help' });
    await main().getByText('I need help').waitFor();

    await page.goto('/dashboard/conversations');
    const rows = page.getByRole('list', { name: 'Conversations' }).getByRole('listitem');
    await rows.filter({ hasText: 'Shop' }).waitFor();
    await shot('conversations');
    await main().getByRole('combobox', { name: 'Platform' }).click();
    await page.getByRole('option', { name: 'Telegram · Telegram' }).click();
    await rows.filter({ hasText: 'Shop' }).waitFor({ state: 'detached' });
    await rows.filter({ hasText: 'I need help' }).waitFor();
    await page.goto('/dashboard');
    await main().getByRole('link', { name: 'Shop (default)' }).waitFor();
    await shot('overview');
  }, 60_000);

  it('an account is renamed, made the default, disabled, enabled and deleted', async () => {
    await page.goto('/dashboard/accounts');
    await main().getByRole('link', { name: 'Telegram', exact: true }).click();
    await act('Rename');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Shop');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('Another account of the platform has this name.').waitFor();
    await dialog.getByLabel('Name').fill('Support');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await main().getByRole('heading', { name: 'Support', level: 1 }).waitFor();
    await act('Make it the default');
    await main().getByText('the default account').waitFor();
    await act('Disable');
    await dialog.getByRole('button', { name: 'Disable' }).click();
    await main().getByText('disabled', { exact: true }).waitFor();
    await act('Enable');
    await main().getByText('connected', { exact: true }).waitFor();
    await act('Delete');
    await dialog.getByText('Its conversations stay').waitFor();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await main().getByText('@shop_bot').waitFor();
    await main().getByText('@support_bot').waitFor({ state: 'detached' });
    await eventually('one account is left', async () => {
      const { body } = await gateway.api<{ id: string | null }[]>('GET', '/integrations');
      expect(body.data.filter(({ id }) => id !== null)).toHaveLength(1);
    });
  }, 60_000);

  it('a test key connects with any credentials, and the sandbox plays the first message', async () => {
    const { page: sandbox } = await openPage(gateway.url, { viewport: VIEWPORT });
    await signIn(sandbox, gateway.testKey, '/dashboard/accounts/connect?platform=discord');
    const own = sandbox.getByRole('main');
    await own.getByText('It accepts any credentials').waitFor();
    await own.getByLabel('Bot token').fill('anything');
    await own.getByRole('button', { name: 'Check and connect' }).click();
    await own.getByText('Discord is connected as @sandbox.').waitFor();
    await own.getByRole('button', { name: 'Write as a person of the sandbox' }).click();
    await own.getByText('The first message has arrived.').waitFor();
    await sandbox.goto('/dashboard/accounts');
    await own.getByRole('link', { name: 'default' }).first().click();
    await own.getByText('The credentials of this account are variables').waitFor();
    await own.getByRole('button', { name: 'More actions' }).click();
    expect(await sandbox.getByRole('menuitem').allTextContents()).toEqual(['Rename']);
  }, 60_000);
});
