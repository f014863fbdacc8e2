import { useGateway } from '../support/gateway';
import { describeInBrowser, openPage } from './support/chromium';
import { HOSTILE_TEXT, playExample, type Example } from './support/example';
import { signIn } from './support/sign-in';

const gateway = useGateway();
let example: Example;

beforeAll(async () => {
  example = await playExample(gateway);
}, 60_000);

describeInBrowser('a text of a person', () => {
  it('markup in a message is shown as text', async () => {
    const { page, messages } = await openPage(gateway.url);
    await signIn(page, gateway.testKey, `/dashboard/conversations/${example.conversationId}`);
    await page.getByRole('log').getByText(HOSTILE_TEXT, { exact: true }).first().waitFor();
    expect(await page.evaluate('window.hacked')).toBeUndefined();
    expect(await page.getByRole('log').locator('img, script').count()).toBe(0);
    expect(messages).toEqual([]);
  });

  it('a name of 256 characters, or right to left, does not break the list', async () => {
    const { page } = await openPage(gateway.url, { viewport: { width: 360, height: 800 } });
    await signIn(page, gateway.testKey, '/dashboard/conversations');
    await page.getByText('مرحبا بالعالم').waitFor();
    await page.getByText('N'.repeat(256)).waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  });
});
