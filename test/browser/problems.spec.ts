import type { Page } from 'playwright-core';
import { AnthropicFake } from '../fakes/anthropic.fake';
import { eventually } from '../support/eventually';
import { useGateway, type TestGateway } from '../support/gateway';
import { axeFaults } from './support/axe';
import { describeInBrowser, openPage } from './support/chromium';
import { signIn } from './support/sign-in';

const anthropic = new AnthropicFake();
const gateway = useGateway({ anthropic });
const bare = useGateway();

const open = async (key: string, path = '/', at: TestGateway = gateway): Promise<Page> => {
  const { page } = await openPage(at.url);
  await signIn(page, key, `/dashboard${path}`);
  return page;
};
const call = async <T>(method: string, path: string, body?: unknown, key = gateway.testKey) =>
  (await gateway.api<T>(method, path, body, { key })).body.data;
const problems = (page: Page) => page.getByRole('list', { name: 'Problems' }).getByRole('listitem');
const health = (page: Page) => page.getByRole('status', { name: 'Health' });

describeInBrowser('the problems on the overview', () => {
  it('name the people who wait in one line, with links, if the key may read names', async () => {
    await call('PATCH', '/admin/settings', { handover: { phrases: ['a person, please'] } });
    const page = await open(gateway.testKey);
    await health(page).getByText('Everything is fine').waitFor();
    for (const name of ['Ada', 'Ben', 'Cem', 'Dora', 'Eve'])
      await call('POST', '/sandbox/inbound', {
        platform: 'telegram',
        sender: { id: name, name },
        content: 'A person, please',
      });
    await eventually('all wait', async () => expect(await call<object[]>('GET', '/problems')).toHaveLength(5));
    await health(page).getByText('1 problem needs a person').waitFor();
    await problems(page)
      .getByText(/^Ada, Ben and 3 others wait for a person \(longest \d+ s\)$/)
      .waitFor();
    expect(await problems(page).count()).toBe(1);
    expect(await axeFaults(page)).toEqual([]);

    const blind = await open(await gateway.createKey({ scopes: ['read:status'], environment: 'test' }));
    await problems(blind)
      .getByText(/^5 conversations wait for a person \(longest \d+ s\)$/)
      .waitFor();
    await blind.context().close();

    await problems(page).getByRole('link', { name: '3 others' }).click();
    await page.getByRole('list', { name: 'Conversations' }).getByRole('link', { name: /Eve/ }).waitFor();
    await page.goBack();
    await problems(page).getByRole('link', { name: 'Ada' }).click();
    await page.getByRole('heading', { name: 'Ada' }).waitFor();
    await page.context().close();
  }, 60_000);

  it('name the recipients of failed messages and the addresses of failing webhooks', async () => {
    await call('POST', '/messages/send', { platform: 'telegram', recipient: 'sandbox_blocked', message: 'Hello' });
    const { id } = await call<{ id: string }>('POST', '/webhooks', {
      url: 'https://example.invalid/orders',
      events: ['backup.failed'],
    });
    for (let times = 0; times < 3; times += 1) await call('POST', `/webhooks/${id}/test`);
    const page = await open(gateway.testKey);
    await problems(page).filter({ hasText: 'Messages on Telegram fail' }).getByText('to sandbox_blocked').waitFor();
    await problems(page).getByText('https://example.invalid/orders').waitFor();
    await call('DELETE', `/webhooks/${id}`);
    await page.context().close();
  }, 60_000);

  it('show the outage of the AI once, without the first steps', async () => {
    for (const [status, times] of [
      [529, 1],
      [401, 1],
    ] as const) {
      anthropic.fail({ status, times, retryAfter: 86_400 });
      await gateway.api('POST', '/ai/generate', { message: 'Hello' });
    }
    await eventually('the API lists three problems', async () => {
      const listed = await call<{ kind: string }[]>('GET', '/problems', undefined, gateway.liveKey);
      expect(listed.map(({ kind }) => kind).toSorted()).toEqual(['ai_error', 'ai_refused', 'component_unhealthy']);
    });
    const page = await open(gateway.liveKey);
    await health(page).getByText('1 problem needs a person').waitFor();
    await problems(page).getByText('The AI provider refuses every request: it rejects the API key.').waitFor();
    expect(await problems(page).count()).toBe(1);
    expect(await page.getByText('Connect the AI').locator('..').getByLabel('Done').count()).toBe(0);
    expect(await health(page).textContent()).not.toContain('unhealthy');
    await problems(page)
      .getByRole('button', { name: /^Dismiss/ })
      .click();
    await problems(page).first().waitFor({ state: 'detached' });
    await page.context().close();
  }, 60_000);

  it('say that the AI is not set up on a fresh start, not that it is unhealthy', async () => {
    const page = await open(bare.liveKey, '/', bare);
    await health(page).getByText('Everything is fine').waitFor();
    await health(page).getByText('The AI is not set up.').waitFor();
    await page.getByText('Connect the AI').waitFor();
    await page.goto('/dashboard/system');
    await page.getByText('not set up', { exact: true }).waitFor();
    expect(await page.getByText('unhealthy').count()).toBe(0);
    await page.context().close();
  }, 60_000);
});
