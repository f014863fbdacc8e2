import { useGateway } from '../support/gateway';
import { describeInBrowser, openPage } from './support/chromium';
import { signIn } from './support/sign-in';

const gateway = useGateway();

describeInBrowser('the sign-in of the dashboard', () => {
  it('a sign-in keeps the key only in session storage, and shows the overview', async () => {
    const { page, messages, foreign } = await openPage(gateway.url);
    await signIn(page, gateway.liveKey);
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    await page.getByText('Everything is fine', { exact: true }).waitFor();
    expect(await page.evaluate('JSON.stringify(sessionStorage)')).toContain(gateway.liveKey);
    expect(JSON.stringify(await page.context().storageState())).not.toContain(gateway.liveKey.slice(-32));
    expect(await page.title()).toBe('Overview · Messaging Gateway');
    expect({ messages, foreign }).toEqual({ messages: [], foreign: [] });
  });

  it('a session survives a reload, and a sign-out forgets everything', async () => {
    const { page } = await openPage(gateway.url);
    await signIn(page, gateway.liveKey);
    await page.reload();
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('API key', { exact: true }).waitFor();
    expect(await page.evaluate('JSON.stringify(sessionStorage)')).not.toContain('service_sk');
  });

  it('a rejected key is shown with its reason', async () => {
    const { page } = await openPage(gateway.url);
    await page.goto('/dashboard');
    const field = page.getByLabel('API key', { exact: true });
    await field.fill('wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('An API key begins with').waitFor();
    await field.fill(`service_sk_live_${'x'.repeat(32)}`);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('The API key is missing or not valid.').waitFor();
  });

  it('a printed link works in the tab that shows the sign-in', async () => {
    const { page } = await openPage(gateway.url);
    await page.goto('/dashboard');
    await page.getByLabel('API key', { exact: true }).waitFor();
    await page.goto('/dashboard#code=used');
    await page.getByText('The link has been used or has expired.').waitFor();
    expect(page.url()).not.toContain('used');
  });

  it('a page names the scope that the key lacks', async () => {
    const { page } = await openPage(gateway.url);
    await signIn(page, await gateway.createKey({ scopes: ['read:messages'] }), '/dashboard/statistics');
    const main = page.getByRole('main');
    await main.getByText('Your key may not see this page').waitFor();
    expect(await main.textContent()).toContain('admin:settings');
  });

  const revoke = async (key: string) => {
    const { body } = await gateway.api<{ id: string; masked_key: string }[]>('GET', '/admin/api-keys?per_page=100');
    const { id } = body.data.find(({ masked_key }) => masked_key.endsWith(key.slice(-4)))!;
    expect((await gateway.api('DELETE', `/admin/api-keys/${id}`)).status).toBe(200);
  };

  it('a session ends with its reason when the event stream ends because the key is revoked', async () => {
    const key = await gateway.createKey();
    const { page } = await openPage(gateway.url);
    await signIn(page, key);
    await page.getByRole('status').getByText('Connected').waitFor();
    await revoke(key);
    await page.getByText('has been revoked').waitFor();
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
  });

  it('a session ends with its reason when a request is rejected because the key is revoked', async () => {
    // The key may not read the stream of events, so only a request shows the page that it is revoked.
    const key = await gateway.createKey({ scopes: ['admin:settings'] });
    const { page } = await openPage(gateway.url);
    await signIn(page, key, '/dashboard/audit-log');
    await page.getByRole('heading', { name: 'Audit log', level: 1 }).waitFor();
    await revoke(key);
    await page.getByRole('button', { name: 'Refresh' }).click();
    await page.getByText('has been revoked').waitFor();
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
  });
});
