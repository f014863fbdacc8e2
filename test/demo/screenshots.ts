import 'reflect-metadata';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { launchChromium, signedInWith } from '../support/chromium';
import { playConversation } from './conversation';
import { Printer } from './printer';
import { RestClient } from './rest-client';
import { openStage, type Stage } from './stage';

const FOLDER = join(process.cwd(), 'screenshots');
const WIDTHS = [1280, 390] as const;
const SCHEMES = ['light', 'dark'] as const;
/** The page is complete when it has been quiet for this long, in milliseconds. */
const QUIET_MS = 1_500;

/** A page to take: `name` becomes the name of the file. */
interface Shot {
  name: string;
  path: string;
  key?: string;
}

/** The other people of the café, in the sandbox: [platform, name, text]. */
const PEOPLE = [
  ['whatsapp', 'Grace Hopper', 'Is there a place for my bicycle?'],
  ['discord', 'Alan Turing', 'Do you have decaf?'],
  ['telegram', 'Katherine Johnson', 'Could you keep two croissants for me?'],
  ['whatsapp', 'Margaret Hamilton', 'Are dogs welcome?'],
  ['telegram', 'Edsger Dijkstra', 'Which is the shortest way to you?'],
] as const;

async function playSandbox({ gateway }: Stage): Promise<void> {
  const client = new RestClient(gateway.url, gateway.createdKeys[1]!);
  for (const [index, [platform, name, content]] of PEOPLE.entries())
    await client.post('/sandbox/inbound', { platform, sender: { id: `7000${index}`, name }, content });
  for (const recipient of ['sandbox_fail', 'sandbox_blocked'])
    await client.post('/messages/send', { platform: 'telegram', recipient, message: 'Your order is ready.' });
}

/** Makes what the lists show, and names every page. */
async function shotsOf(stage: Stage): Promise<Shot[]> {
  const [live, test] = stage.gateway.createdKeys as [string, string];
  const client = new RestClient(stage.gateway.url, live);
  const [conversation] = (await client.get<{ id: string }[]>('/conversations')).data;
  await client.post('/admin/api-keys', { name: 'Shop system', scopes: ['read:messages', 'write:messages'] });
  await client.post('/admin/api-keys', { name: 'Monitoring', scopes: ['read:status'] });
  const url = 'https://shop.example/hooks/gateway';
  const webhook = await client.post<{ id: string }>('/webhooks', {
    url,
    events: ['message.received', 'message.failed'],
  });
  return [
    { name: 'sign-in', path: '' },
    { name: 'overview', path: '', key: live },
    { name: 'overview-sandbox', path: '', key: test },
    { name: 'conversations', path: '/conversations', key: test },
    { name: 'conversation', path: `/conversations/${conversation!.id}`, key: live },
    { name: 'playground', path: '/playground', key: test },
    { name: 'statistics', path: '/statistics', key: live },
    { name: 'api-keys', path: '/api-keys', key: live },
    { name: 'webhooks', path: '/webhooks', key: live },
    { name: 'webhook', path: `/webhooks/${webhook.data.id}`, key: live },
    { name: 'audit-log', path: '/audit-log', key: live },
    { name: 'settings', path: '/settings', key: live },
    { name: 'system', path: '/system', key: live },
    { name: 'no-such-page', path: '/nowhere', key: live },
  ];
}

async function take(browser: Browser, origin: string, { name, path, key }: Shot): Promise<void> {
  for (const width of WIDTHS) {
    for (const colorScheme of SCHEMES) {
      const context = await browser.newContext({ viewport: { width, height: 800 }, colorScheme, locale: 'en-US' });
      if (key) await context.addInitScript(signedInWith(key));
      const page = await context.newPage();
      await page.goto(`${origin}/dashboard${path}`);
      await page.waitForTimeout(QUIET_MS);
      if (name === 'playground') {
        await page.getByRole('button', { name: 'Send as this person' }).click();
        await page.getByText('Delivered', { exact: true }).waitFor();
        await page.waitForTimeout(2_000);
      }
      await page.screenshot({ path: join(FOLDER, `${name}-${colorScheme}-${width}.png`), fullPage: width < 1_000 });
      await context.close();
    }
  }
}

async function main(): Promise<void> {
  await mkdir(FOLDER, { recursive: true });
  const stage = await openStage('warn');
  const browser = await launchChromium();
  try {
    await playConversation(stage, new Printer(() => undefined, false));
    await playSandbox(stage);
    for (const shot of await shotsOf(stage)) await take(browser, stage.gateway.url, shot);
    console.log(`The screenshots are in ${FOLDER}`);
  } finally {
    await browser.close();
    await stage.close();
  }
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
