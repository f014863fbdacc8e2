import { LOCAL_RECEIVERS, ReceiverFake } from '../fakes/receiver.fake';
import { eventually } from '../support/eventually';
import { useGateway } from '../support/gateway';
import { axeFaults } from './support/axe';
import { describeInBrowser, openPage } from './support/chromium';
import { signIn } from './support/sign-in';

const gateway = useGateway({ env: LOCAL_RECEIVERS });
let receiver: ReceiverFake;
let webhookId: string;

const call = async <T>(method: string, path: string, body?: unknown) =>
  (await gateway.api<T>(method, path, body, { key: gateway.testKey })).body.data;
const send = (recipient: string) =>
  call<{ message_id: string }>('POST', '/messages/send', { platform: 'telegram', recipient, message: 'Hello' });

beforeAll(async () => {
  receiver = await new ReceiverFake().start();
  const webhook = await call<{ id: string }>('POST', '/webhooks', { url: receiver.url('/hook'), events: ['*'] });
  webhookId = webhook.id;
  await call('POST', '/sandbox/inbound', { platform: 'telegram', sender: { id: '1', name: 'Ada' }, content: 'Hello?' });
  await eventually('the assistant has answered', async () => {
    expect((await call<unknown[]>('GET', '/messages?direction=outbound')).length).toBeGreaterThan(0);
  });
}, 60_000);

async function openAt(path: string, key = gateway.testKey) {
  const { page } = await openPage(gateway.url);
  await signIn(page, key, `/dashboard${path}`);
  return page;
}

describeInBrowser('the dashboard', () => {
  it('a problem is shown, its message sent again once, and the problem hidden', async () => {
    const page = await openAt('');
    await page.getByText('Connected').first().waitFor();
    const { message_id } = await send('sandbox_fail');
    const problem = page.getByRole('list', { name: 'Problems' }).getByRole('listitem');
    await problem.getByText('Messages on Telegram fail').waitFor();
    await page.getByRole('complementary').getByText('1 problem', { exact: true }).waitFor();
    await problem.getByRole('button', { name: 'Send again' }).click();
    await eventually('it is sent again', async () => {
      expect((await call<unknown[]>('GET', '/messages?status=failed')).length).toBe(2);
    });
    // The key is made from the failed message: the same click again sends nothing.
    const other = await openAt(`/messages/${message_id}`);
    await other
      .getByRole('complementary', { name: 'What happened' })
      .getByRole('button', { name: 'Send again' })
      .click();
    await other.getByRole('alert').first().waitFor();
    expect((await call<unknown[]>('GET', '/messages?status=failed')).length).toBe(2);
    await problem.getByRole('button', { name: /^Dismiss/ }).click();
    await problem.waitFor({ state: 'hidden' });
  });

  it('a pasted id opens its resource from every page', async () => {
    const page = await openAt('');
    const [delivery] = await call<{ id: string; event_id: string }[]>('GET', `/webhooks/${webhookId}/deliveries`);
    const [entry] = await call<{ request_id: string; key_id: string }[]>('GET', '/admin/audit-log?method=POST');
    const faults: string[] = [];
    const go = async (id: string, expected: string) => {
      await page.keyboard.press('ControlOrMeta+k');
      await page.getByRole('combobox', { name: 'A page, a name, a number or an id' }).fill(id);
      faults.push(...(await axeFaults(page)));
      await page.keyboard.press('Enter');
      await page.waitForURL(`**/dashboard${expected}`);
    };
    await go(delivery!.event_id, `/events/${delivery!.event_id}`);
    await page.getByRole('heading', { name: 'Event', level: 1 }).waitFor();
    await go(delivery!.id, `/deliveries/${delivery!.id}`);
    await page.getByRole('link', { name: 'Open the webhook' }).waitFor();
    await go(entry!.request_id, `/audit-log?request_id=${entry!.request_id}`);
    await page.getByText(`Only the request ${entry!.request_id}`).waitFor();
    await go(entry!.key_id, `/api-keys/${entry!.key_id}`);
    await page.getByText('Spent today').waitFor();
    await go(webhookId, `/webhooks/${webhookId}`);
    await page.getByText('Success rate').waitFor();
    expect(faults).toEqual([]);
  });

  it('a message names the steps that the key may not see', async () => {
    const { message_id } = await send('48213907');
    const key = await gateway.createKey({ environment: 'test', scopes: ['read:messages', 'read:conversations'] });
    const page = await openAt(`/messages/${message_id}`, key);
    await page.getByText('Your key may not see: deliveries to webhooks (needs admin:settings)').waitFor();
    await page.getByText('Your key may not see: what the AI was asked (needs read:status)').waitFor();
  });

  it('an event that is sent again shows the response of the receiver', async () => {
    const page = await openAt(`/webhooks/${webhookId}`);
    await page
      .getByRole('button', { name: /^Attempt 1 of message\.sent/ })
      .first()
      .click();
    const dialog = page.getByRole('dialog', { name: 'message.sent' });
    await dialog.getByRole('button', { name: 'Send again' }).click();
    await dialog.getByText(/Sent again: 200 in/).waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    await page.waitForFunction('document.activeElement.ariaLabel?.startsWith("Attempt 1 of message.sent")');
  });

  it('webhooks show how many attempts succeed; a replay proposes what was missed, and the figures follow it', async () => {
    const url = receiver.url('/shop');
    const { id } = await call<{ id: string }>('POST', '/webhooks', { url, events: ['message.sent'] });
    const tried = async (attempts: number) =>
      eventually(`${attempts} attempts`, async () =>
        expect((await call<unknown[]>('GET', `/webhooks/${id}/deliveries`)).length).toBeGreaterThanOrEqual(attempts),
      );
    await send('48213907');
    await tried(1);
    receiver.react(400, '/shop');
    await send('48213907');
    await send('48213907');
    await tried(3);
    const page = await openAt('/webhooks');
    const row = page.getByRole('row').filter({ hasText: url });
    await row.getByRole('img', { name: /^1 of the newest \d deliveries succeeded$/ }).waitFor();
    expect(await axeFaults(page)).toEqual([]);
    receiver.react(200, '/shop');
    await row.getByRole('link', { name: url }).click();
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Replay missed events' }).click();
    const dialog = page.getByRole('dialog', { name: 'Replay missed events' });
    await dialog.getByRole('button', { name: 'Since the last success (2 events)' }).waitFor();
    await dialog.getByRole('button', { name: 'Replay', exact: true }).click();
    await page.getByText('2 events will be sent again.').waitFor();
    await eventually(
      'the figures follow without a reload',
      async () => expect(await page.getByRole('main').textContent()).toMatch(/Success rate(60\.0|5\d\.\d) %/),
      { timeoutMs: 20_000 },
    );
    await call('DELETE', `/webhooks/${id}`);
  }, 60_000);

  it('changed settings are tried on a past conversation, next to the real answer', async () => {
    const page = await openAt('/settings');
    await page.getByLabel('System prompt').fill('Answer like a pirate.');
    await page.getByRole('button', { name: 'Try before saving' }).click();
    const dialog = page.getByRole('dialog', { name: 'Try before saving' });
    await dialog.getByRole('combobox', { name: 'Conversation' }).click();
    await page.getByRole('option', { name: /^Ada/ }).click();
    const given = dialog.getByRole('region', { name: 'The answer that was given' });
    await given.getByText(/^Cost: .*\d/).waitFor();
    await dialog.getByRole('button', { name: 'Try', exact: true }).click();
    const tried = dialog.getByRole('region', { name: 'The answer with your changes' });
    await tried.getByText(/^Cost: .*\d/).waitFor();
    await tried.getByText(/tokens in/).waitFor();
    expect(await axeFaults(page)).toEqual([]);
  });

  it('the prompt is first, an index leads to every group, and prices are a table', async () => {
    const page = await openAt('/settings');
    const index = page.getByRole('navigation', { name: 'Sections of this page' });
    await page.getByRole('heading', { level: 2 }).first().getByText('Assistant').waitFor();
    for (const title of ['When a person takes over', 'Files', 'Costs']) {
      await index.getByRole('button', { name: title }).click();
      await page.waitForFunction(`document.activeElement.textContent === '${title}'`);
    }
    expect(await page.getByLabel('Space for all files').inputValue()).toBe('10 GiB');
    const table = page.getByRole('table', { name: 'Prices of models' });
    await page.getByRole('button', { name: 'Add a price' }).first().click();
    await table.getByLabel('Model of row 1').fill('openai/tiny');
    await table.getByLabel('Input of openai/tiny').fill('0.5');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Please check: Prices of models.').waitFor();
    await table.getByLabel('Output of openai/tiny').fill('2');
    expect(await axeFaults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Everything is saved.').waitFor();
    const stored = async () =>
      (await gateway.api<{ ai: { prices: object } }>('GET', '/admin/settings', undefined, { key: gateway.testKey }))
        .body.data.ai.prices;
    expect(await stored()).toEqual({ 'openai/tiny': { input: 0.5, output: 2 } });
    await page.getByRole('button', { name: 'Remove openai/tiny' }).click();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await eventually('the price is gone', async () => expect(await stored()).toEqual({}));
  });

  it('an invalid setting is scrolled into view and named', async () => {
    const page = await openAt('/settings');
    await page.getByLabel('Temperature').fill('7');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Please check: Temperature.').waitFor();
    expect(await page.evaluate('document.activeElement.ariaInvalid')).toBe('true');
  });

  it('a support key shows the pages that it may see', async () => {
    const page = await openAt(
      '',
      await gateway.createKey({ environment: 'test', scopes: ['read:messages', 'write:messages'] }),
    );
    const main = page.getByRole('main');
    await main.getByText('Pages that your key may see').waitFor();
    await main.getByRole('link', { name: 'Playground' }).waitFor();
    await main.getByText('Failed messages').waitFor();
  });

  it('a purpose selects the scopes of a new key', async () => {
    const page = await openAt('/api-keys');
    await page.getByRole('button', { name: 'Create a key' }).click();
    await page.getByRole('button', { name: 'Support desk' }).click();
    expect(await page.getByLabel('write:messages').isChecked()).toBe(true);
    expect(await page.getByLabel('admin:settings').isChecked()).toBe(false);
  });

  it('the playground ends its steps when the gateway rejects a request', async () => {
    const page = await openAt('/playground');
    await page.getByRole('button', { name: 'Send to sandbox_not_connected' }).click();
    await page.getByText('Nothing yet').waitFor();
  });

  it('a phone says that the page shows the sandbox', async () => {
    const { page } = await openPage(gateway.url, { viewport: { width: 390, height: 844 } });
    await signIn(page, gateway.testKey);
    await page.getByRole('banner').getByText('Test', { exact: true }).waitFor();
  });
});
