import { ReceiverFake, LOCAL_RECEIVERS } from '../fakes/receiver.fake';
import { useGateway } from '../support/gateway';
import { describeInBrowser, openPage } from './support/chromium';

const gateway = useGateway({ env: LOCAL_RECEIVERS });
let receiver: ReceiverFake;
let key: string;

beforeAll(async () => {
  receiver = await new ReceiverFake().start();
});

describeInBrowser('a first walk through the dashboard', () => {
  it('a new user gets from the link to an answer, a key, a webhook, its delivery and the audit log', async () => {
    const { page, foreign } = await openPage(gateway.url);
    const link = page.getByRole('navigation', { name: 'Pages' });
    const go = (name: string) => link.getByRole('link', { name, exact: true }).click();

    // The link of the first start signs in once.
    const code = gateway.gateway.signInCode;
    expect(code).toBeDefined();
    await page.goto(`/dashboard#code=${code}`);
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    expect(page.url()).not.toContain('code');

    // A person writes in the playground, and the assistant answers.
    await go('Playground');
    await page.getByRole('button', { name: 'Switch to Test' }).click();
    await page.getByLabel('Message').fill('When do you open?');
    await page.getByRole('button', { name: 'Send as this person' }).click();
    const steps = page.getByRole('list', { name: 'Steps' });
    await steps.getByText('Sandbox reply to').first().waitFor();
    await steps.getByText('Delivered', { exact: true }).waitFor();

    // A key is created, shown once, and works with fetch.
    await go('API keys');
    await page.getByRole('button', { name: 'Create a key' }).click();
    await page.getByLabel('Name').fill('Shop system');
    await page.getByLabel('*', { exact: true }).check();
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    key = (await page.getByRole('region', { name: 'key', exact: true }).textContent())!;
    expect(key).toMatch(/^service_sk_test_\w{32}$/);
    await page.getByText('curl -s').waitFor();
    // The dialog closes only after the key was copied or the person confirms.
    await page.keyboard.press('Escape');
    await page.getByRole('region', { name: 'key', exact: true }).waitFor();
    await page.getByRole('button', { name: 'I have stored the key' }).click();
    const status = await fetch(`${gateway.url}/api/v1/status`, { headers: { authorization: `Bearer ${key}` } });
    expect(status.status).toBe(200);

    // The key is rolled: the new value works, and for a while the old one too.
    await page.getByRole('button', { name: 'Actions for Shop system' }).click();
    await page.getByRole('menuitem', { name: 'Roll' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Roll the key' }).click();
    await page.getByText('The old value works for 24 hours more.').waitFor();
    const rolled = (await page.getByRole('region', { name: 'key', exact: true }).textContent())!;
    expect(rolled).not.toBe(key);
    for (const value of [key, rolled]) {
      const answer = await fetch(`${gateway.url}/api/v1/status`, { headers: { authorization: `Bearer ${value}` } });
      expect(answer.status).toBe(200);
    }
    await page.getByRole('button', { name: 'I have stored the key' }).click();
    key = rolled;

    // A webhook is created, and its delivery shows what was posted.
    await go('Webhooks');
    await page.getByRole('button', { name: 'Create a webhook' }).click();
    await page.getByLabel('URL').fill(receiver.url('/hook'));
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByText('createHmac').first().waitFor();
    await page.getByRole('button', { name: 'I have stored the secret' }).click();
    await page.getByRole('link', { name: receiver.url('/hook') }).click();
    await page.getByRole('button', { name: 'Send a test event' }).click();
    await page.getByRole('button', { name: 'Attempt 1 of system.health' }).click();
    const dialog = page.getByRole('dialog', { name: 'system.health' });
    await dialog.getByText('"type": "system.health"').waitFor();
    await dialog.getByText('x-service-signature').first().waitFor();
    await page.keyboard.press('Escape');

    // The audit log tells in a sentence who did it; reads are shown on request.
    await go('Audit log');
    const requests = page.getByRole('list', { name: 'Requests' });
    await requests.getByText('First test key created a webhook').waitFor();
    await page.getByLabel('Show reads (GET)').check();
    await requests
      .getByText(/called GET \/api\/v1\//)
      .first()
      .waitFor();

    // The new key signs in, and is signed out when it is revoked.
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('API key', { exact: true }).fill(key);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await go('API keys');
    await page.getByRole('button', { name: 'Actions for Shop system' }).click();
    await page.getByRole('menuitem', { name: 'Revoke' }).click();
    await page.getByText('You are signed in with this key').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('has been revoked').waitFor();
    expect((await fetch(`${gateway.url}/api/v1/status`, { headers: { authorization: `Bearer ${key}` } })).status).toBe(
      401,
    );
    expect(foreign).toEqual([]);
  }, 90_000);
});
