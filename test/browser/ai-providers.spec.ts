import { OpenAiFake } from '../fakes/openai.fake';
import { startTestGateway, type TestGateway } from '../support/gateway';
import { describeInBrowser, openPage } from './support/chromium';
import { signIn } from './support/sign-in';

const START_TIMEOUT_MS = 90_000;

describeInBrowser('the AI providers of the dashboard', () => {
  let gateway: TestGateway;
  let openai: OpenAiFake;

  beforeAll(async () => {
    openai = await new OpenAiFake().start();
    gateway = await startTestGateway({ env: { AI_ALLOWED_CIDRS: '127.0.0.0/8' } });
  }, START_TIMEOUT_MS);

  it('a key is pasted, a model is chosen from the list of its provider, and the status is shown', async () => {
    const { page, messages } = await openPage(gateway.url, { viewport: { width: 1280, height: 900 } });
    await signIn(page, gateway.liveKey, '/dashboard/settings');
    const main = page.getByRole('main');
    await main.getByRole('button', { name: 'Set the key of openai' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('API key').fill(openai.apiKey);
    await dialog.getByLabel('Base URL').fill(openai.baseUrl);
    await dialog.getByRole('button', { name: 'Set the key' }).click();
    await main.getByText('available', { exact: true }).waitFor();
    await page.locator('datalist option[value="openai/gpt-4o"]').waitFor({ state: 'attached' });
    await main.getByLabel('Model', { exact: true }).fill('openai/gpt-4o');
    await main.getByRole('button', { name: 'Save', exact: true }).click();
    await main.getByText('Everything is saved.').waitFor();
    if (process.env['SHOTS']) await page.screenshot({ path: `${process.env['SHOTS']}/providers.png`, fullPage: true });
    expect((await gateway.api('GET', '/ai/status')).body.data).toMatchObject({ model: 'openai/gpt-4o' });
    expect(messages).toEqual([]);
  }, 60_000);
});
