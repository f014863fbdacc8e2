import { useGateway } from '../support/gateway';
import { eventually } from '../support/eventually';
import { TcpProxy } from '../support/tcp-proxy';
import { describeInBrowser, openPage } from './support/chromium';
import { signIn } from './support/sign-in';

const ADA = { id: '48213907', name: 'Ada' };

const gateway = useGateway();
let conversationId: string;

const say = async (content: string) => {
  const body = { platform: 'telegram', sender: ADA, content };
  const { body: answer } = await gateway.api<{ conversation_id: string }>('POST', '/sandbox/inbound', body, {
    key: gateway.testKey,
  });
  return answer.data.conversation_id;
};

beforeAll(async () => {
  conversationId = await say('The first');
});

describeInBrowser('the live dashboard', () => {
  it('a new message appears by itself, once', async () => {
    const { page } = await openPage(gateway.url);
    await signIn(page, gateway.testKey, `/dashboard/conversations/${conversationId}`);
    await page.getByText('Connected').first().waitFor();
    await say('It appears by itself');
    const messages = page.getByRole('log').getByText('It appears by itself', { exact: true });
    await messages.first().waitFor();
    expect(await messages.count()).toBe(1);
  });

  it('a message that arrives while the conversation loads is shown', async () => {
    const { page } = await openPage(gateway.url);
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await page.route('**/api/v1/messages?**', async (route) => {
      const response = await route.fetch();
      answer();
      await released;
      await route.fulfill({ response });
    });
    await signIn(page, gateway.testKey, `/dashboard/conversations/${conversationId}`);
    await page.getByText('Connected').first().waitFor();
    await answered;
    const row = page.getByRole('list', { name: 'Conversations' }).getByRole('listitem').first();
    const before = await row.textContent();
    await say('Said while it is being read');
    await eventually('the event has come', async () => expect(await row.textContent()).not.toBe(before));
    release();
    await page.getByRole('log').getByText('Said while it is being read', { exact: true }).waitFor();
  });

  it('a lost connection is shown, and missed messages appear when it is back', async () => {
    const proxy = await new TcpProxy(gateway.url).open();
    try {
      const origin = proxy.url.replace(/\/$/, '');
      const { page } = await openPage(origin);
      await signIn(page, gateway.testKey, `/dashboard/conversations/${conversationId}`);
      await page.getByText('Connected').first().waitFor();
      await page.getByRole('log').getByText('The first', { exact: true }).waitFor();
      await proxy.cut();
      await page.getByText('Reconnecting').first().waitFor();
      await say('Said meanwhile');
      await proxy.open();
      const messages = page.getByRole('log').getByText('Said meanwhile', { exact: true });
      await messages.first().waitFor();
      await page.getByText('Connected').first().waitFor();
      expect(await messages.count()).toBe(1);
    } finally {
      await proxy.cut();
    }
  }, 60_000);

  it('all tabs of a key share one stream', async () => {
    const first = await openPage(gateway.url);
    await signIn(first.page, gateway.testKey, `/dashboard/conversations/${conversationId}`);
    await first.page.getByText('Connected').first().waitFor();
    const second = await first.page.context().newPage();
    const requests: string[] = [];
    second.on('request', (request) => requests.push(new URL(request.url()).pathname));
    await signIn(second, gateway.testKey, `/dashboard/conversations/${conversationId}`);
    await second.getByText('Connected').first().waitFor();
    await say('For both tabs');
    for (const page of [first.page, second])
      await page.getByRole('log').getByText('For both tabs', { exact: true }).waitFor();
    expect(requests).not.toContain('/api/v1/events/stream');
    await first.page.close();
    await say('For the tab that is left');
    await second.getByRole('log').getByText('For the tab that is left', { exact: true }).waitFor();
  });

  it('a rate limit is shown, and delays only the rejected request', async () => {
    const { page } = await openPage(gateway.url);
    await page.route('**/api/v1/admin/api-keys?page**', (route) =>
      route.fulfill({
        status: 429,
        headers: { 'retry-after': '57' },
        json: { success: false, error: { code: 'RATE_LIMIT_EXCEEDED', message: 'Too many requests.', details: null } },
      }),
    );
    await signIn(page, gateway.testKey, '/dashboard/api-keys');
    await page.getByText('A limit of the key is reached').waitFor();
    await page.getByRole('link', { name: 'Settings', exact: true }).click();
    await page.getByLabel('Model', { exact: true }).waitFor();
  });
});
