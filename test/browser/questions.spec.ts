import type { Page } from 'playwright-core';
import { LOCAL_RECEIVERS, ReceiverFake } from '../fakes/receiver.fake';
import { eventually } from '../support/eventually';
import { useGateway } from '../support/gateway';
import { axeFaults } from './support/axe';
import { describeInBrowser, openPage } from './support/chromium';
import { signIn } from './support/sign-in';

const ADA = { id: '48213907', name: 'Ada' };

const gateway = useGateway({ env: LOCAL_RECEIVERS });
let receiver: ReceiverFake;

const call = async <T>(method: string, path: string, body?: unknown, key = gateway.testKey) =>
  (await gateway.api<T>(method, path, body, { key })).body.data;
const say = (content: string, sender = ADA) =>
  call('POST', '/sandbox/inbound', { platform: 'telegram', sender, content });

beforeAll(async () => {
  receiver = await new ReceiverFake().start();
  await call('PATCH', '/admin/settings', { handover: { phrases: ['a person, please'] } });
  await call('POST', '/webhooks', { url: receiver.url('/hook'), events: ['*'] });
  await say('When do you open?');
  await say('I want a person, please', { id: '2', name: 'Bea' });
  await call('POST', '/messages/send', { platform: 'telegram', recipient: 'sandbox_fail', message: 'Hello' });
  await eventually('the answer and the failure are posted', () => {
    const types = receiver.postsTo('/hook').map(({ event }) => event.type);
    expect(types).toEqual(expect.arrayContaining(['message.delivered', 'message.failed']));
  });
}, 60_000);

/** A page at the overview, which counts what a person clicks from then on. */
async function atOverview(key = gateway.testKey): Promise<{ page: Page; clicks: () => Promise<number> }> {
  const { page } = await openPage(gateway.url);
  await signIn(page, key);
  await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
  await page.evaluate(`window.clicks = 0; addEventListener('click', () => { window.clicks += 1; }, true)`);
  return { page, clicks: () => page.evaluate<number>('window.clicks') };
}

const open = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name, exact: true }).click();

describeInBrowser('with at most two clicks from the overview, the dashboard answers', () => {
  it('the dashboard answers: why did this message fail?', async () => {
    const { page, clicks } = await atOverview();
    await page.getByRole('list', { name: 'Problems' }).getByRole('link', { name: 'What happened' }).click();
    await page.getByRole('list', { name: 'What happened, step by step' }).getByText('Not sent:').waitFor();
    expect(await clicks()).toBeLessThanOrEqual(2);
  });

  it('the dashboard answers: did the webhook receive it, and when?', async () => {
    const { page, clicks } = await atOverview();
    await page.getByRole('link', { name: 'what happened', exact: true }).click();
    await page.getByText(/^Events, webhooks and requests/).click();
    const posted = page.getByRole('listitem').filter({ hasText: /Posted message\.failed to .+: 200 after \d+ ms/ });
    await posted.locator('time').first().waitFor();
    expect(await clicks()).toBeLessThanOrEqual(2);
  });

  it('the dashboard answers: what did the AI see, and what did it cost?', async () => {
    const { page, clicks } = await atOverview();
    await page.keyboard.press('ControlOrMeta+k');
    await page.getByRole('combobox', { name: 'A page, a name, a number or an id' }).fill(ADA.name);
    await page.getByRole('option', { name: new RegExp(`^${ADA.name}.*${ADA.id}`) }).click();
    await page.getByRole('log').getByRole('link', { name: 'What happened' }).first().click();
    const steps = page.getByRole('list', { name: 'What happened, step by step' });
    await steps.getByText(/^Asked .+, with 1 message$/).waitFor();
    await steps.getByText(/^It saw 1 message$/).waitFor();
    await steps.getByText(/^Cost .*0\.00/).waitFor();
    expect(await clicks()).toBeLessThanOrEqual(2);
  });

  it('the dashboard answers: who changed this setting or key?', async () => {
    const { page, clicks } = await atOverview();
    await open(page, 'Audit log');
    await page.getByRole('button', { name: /^Test key changed the settings/ }).click();
    await page.getByText('PATCH /api/v1/admin/settings', { exact: true }).waitFor();
    expect(await axeFaults(page)).toEqual([]);
    expect(await clicks()).toBeLessThanOrEqual(2);
  });

  it('the dashboard answers: what costs most today?', async () => {
    const { page, clicks } = await atOverview();
    await open(page, 'Statistics');
    const costs = page.getByRole('region', { name: 'Highest AI costs today (UTC)' });
    await costs.getByRole('row').nth(1).getByText('The assistant', { exact: true }).waitFor();
    expect(await clicks()).toBeLessThanOrEqual(2);
  });

  it('the dashboard answers: what did each person cost?', async () => {
    const { page, clicks } = await atOverview();
    await open(page, 'Statistics');
    const costs = page.getByRole('region', { name: 'AI costs', exact: true });
    await costs.getByRole('row', { name: /^Ada/ }).waitFor();
    await costs.getByText('Key', { exact: true }).click();
    await costs.getByRole('row', { name: /^The assistant/ }).waitFor();
    expect(await axeFaults(page)).toEqual([]);
    expect(await clicks()).toBeLessThanOrEqual(3);
  });

  it('the dashboard answers: which conversations wait for a person?', async () => {
    const { page, clicks } = await atOverview();
    const waiting = page.getByRole('listitem').filter({ hasText: 'A conversation waits for a person' });
    await waiting.getByRole('link', { name: 'Open the conversation' }).click();
    await page.getByRole('log').getByText('I want a person, please').waitFor();
    expect(await clicks()).toBeLessThanOrEqual(2);
  });

  it('the dashboard answers: is there a backup, and does it verify?', async () => {
    const { id } = await call<{ id: string }>('POST', '/admin/backups', undefined, gateway.liveKey);
    await eventually(
      'the backup is complete',
      async () => {
        const backups = await call<{ status: string }[]>('GET', '/admin/backups', undefined, gateway.liveKey);
        expect(backups[0]?.status).toBe('completed');
      },
      { timeoutMs: 30_000 },
    );
    const { page, clicks } = await atOverview(gateway.liveKey);
    await open(page, 'System');
    await page.getByRole('button', { name: `Verify ${id}` }).click();
    await page.getByText('The backup can be restored.').waitFor();
    expect(await clicks()).toBeLessThanOrEqual(2);
  });
});
