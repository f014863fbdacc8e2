import { eventually } from '../support/eventually';
import { useGateway } from '../support/gateway';
import { axeFaults } from './support/axe';
import { describeInBrowser, openPage } from './support/chromium';
import { PAGES } from './support/pages';
import { signIn } from './support/sign-in';
import { playExample, type Example } from './support/example';

const gateway = useGateway();
let example: Example;

beforeAll(async () => {
  example = await playExample(gateway);
}, 60_000);

const addresses = () => [
  ...PAGES.map(([path]) => path),
  `/conversations/${example.conversationId}`,
  `/conversations/${example.conversationId}/messages/${example.messageId}`,
  `/messages/${example.failedMessageId}`,
  `/webhooks/${example.webhookId}`,
  `/tools/${example.toolId}`,
  `/events/${example.eventId}`,
  `/deliveries/${example.deliveryId}`,
  `/api-keys/${example.keyId}`,
  `/accounts/${example.accountId}`,
  '/accounts/connect',
  ...['telegram', 'whatsapp', 'discord'].map((platform) => `/accounts/connect?platform=${platform}`),
];

const WIDTHS = [1280, 360];

/** Waits for colour transitions: axe would measure a colour between two schemes. */
const TRANSITIONS_END = `Promise.allSettled(
  document.getAnimations().filter((each) => each instanceof CSSTransition).map((each) => each.finished)
).then(() => undefined)`;

describeInBrowser('every page of the dashboard', () => {
  it.each(WIDTHS)(
    'every page in light and dark colours, %i pixels wide, passes axe, logs nothing and fits the screen',
    async (width) => {
      const watched = await openPage(gateway.url, { viewport: { width, height: 800 } });
      const { page, messages, foreign } = watched;
      await signIn(page, gateway.testKey);
      const faults: string[] = [];
      const check = async (address: string, colorScheme: 'light' | 'dark', rules: 'all' | 'colours') => {
        await page.emulateMedia({ colorScheme });
        await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor();
        await page.evaluate(TRANSITIONS_END);
        faults.push(...(await axeFaults(page, { rules })).map((fault) => `${address} ${colorScheme} ${fault}`));
        const wider = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
        if (wider > 0) faults.push(`${address} is ${wider} pixels wider than the screen`);
      };
      for (const address of addresses()) {
        // Until the page opens, the one before may still read.
        page.once('framenavigated', () => (watched.requests.length = 0));
        await page.goto(`/dashboard${address}`);
        await page
          .getByRole('heading', { level: 1 })
          .or(page.getByRole('heading', { level: 2 }))
          .first()
          .waitFor();
        await page.locator('.mantine-Skeleton-root').first().waitFor({ state: 'detached' });
        await check(address, 'light', 'all');
        // The dark scheme changes colours only.
        await check(address, 'dark', 'colours');
        // The stream of the page before may begin as this one opens.
        const reads = watched.requests.filter((request) => !request.endsWith('/events/stream'));
        // An inbox with an open message reads its list, three numbers, the chat and the timeline; an overview the people
        // and webhooks of its problems.
        if (reads.length > 12) faults.push(`${address} costs ${reads.join(', ')}`);
      }
      expect({ faults, messages, foreign }).toEqual({ faults: [], messages: [], foreign: [] });
    },
    120_000,
  );

  it('every page has an address that survives a reload, a title and a link in the navigation', async () => {
    const { page } = await openPage(gateway.url);
    await signIn(page, gateway.testKey);
    for (const [path, title] of PAGES) {
      await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: title, exact: true }).click();
      await page.waitForURL((url) => url.pathname.replace(/\/$/, '') === `/dashboard${path}`.replace(/\/$/, ''));
      await page.reload();
      await page.getByRole('heading', { name: title, level: 1 }).waitFor();
      expect(await page.title()).toBe(`${title} · Messaging Gateway`);
    }
  }, 60_000);

  it('the keyboard reaches every page: slash searches, a question mark lists the keys', async () => {
    const { page } = await openPage(gateway.url);
    await signIn(page, gateway.testKey);
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    // A page without a search opens the conversations.
    await page.keyboard.press('/');
    await page.locator('input[type=search]:focus').waitFor();
    expect(new URL(page.url()).pathname).toBe('/dashboard/conversations');
    await page.getByRole('listitem').first().waitFor();
    await page.keyboard.press('Tab');
    await page.evaluate('document.activeElement.blur()');
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog', { name: 'Keyboard' }).waitFor({ state: 'hidden' });
    await page.keyboard.press('g');
    await page.keyboard.press('k');
    await page.waitForURL('**/dashboard/api-keys');
  });

  it.each([
    ['/api-keys', 1280, 'Create a key', 'Create a key'],
    ['', 360, 'Menu', 'Menu'],
  ])('a dialog at %s, %i pixels wide, returns the focus to the button %s', async (path, width, button, dialog) => {
    const { page } = await openPage(gateway.url, { viewport: { width, height: 800 } });
    await signIn(page, gateway.testKey, `/dashboard${path}`);
    await page.getByRole('button', { name: button }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: dialog }).waitFor();
    await page.keyboard.press('Escape');
    // A drawer keeps the focus until it has closed.
    const focused = () => page.evaluate('document.activeElement.ariaLabel ?? document.activeElement.textContent');
    await eventually('the focus is back', async () => expect(await focused()).toBe(button));
  });

  it.each([
    ['/webhooks', 'admin:settings'],
    ['/settings', 'admin:settings'],
    ['/api-keys', 'admin:users'],
    ['/conversations', 'read:conversations'],
  ])('the page %s names %s to a key that lacks it', async (path, scope) => {
    const { page } = await openPage(gateway.url);
    await signIn(page, await gateway.createKey({ scopes: ['read:status'] }), `/dashboard${path}`);
    const main = page.getByRole('main');
    await main.getByText('Your key may not see this page').waitFor();
    expect(await main.textContent()).toContain(scope);
  });
});
