import 'reflect-metadata';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { launchChromium, signedInWith } from '../support/chromium';
import { playConversation } from './conversation';
import { Printer } from './printer';
import { RestClient } from './rest-client';
import { PHOTO } from './script';
import { openStage, type Stage } from './stage';

const FOLDER = join(process.cwd(), 'docs/images/pages');
const WIDTHS = [1280, 390] as const;
const SCHEMES = ['light', 'dark'] as const;
/** Animations end within this time, in milliseconds. */
const STILL_MS = 700;

/** A page to capture. `name` is part of the file name. */
interface Shot {
  name: string;
  path: string;
  key?: string;
  /** Runs before the screenshot. */
  prepare?: (page: Page) => Promise<void>;
}

/** The café's other guests in the sandbox: [platform, name, text]. The last guest asks for a person. */
const PEOPLE = [
  ['discord', 'Alan Turing', 'Do you have decaf?'],
  ['telegram', 'Katherine Johnson', 'Could you keep two croissants for me?'],
  ['whatsapp', 'Margaret Hamilton', 'Are dogs welcome?'],
  ['telegram', 'Edsger Dijkstra', 'Which is the shortest way to you?'],
  ['whatsapp', 'Grace Hopper', 'I left my umbrella with you. May I speak to a person?'],
] as const;

/** Creates conversations with every kind of content, and two failed sends. @returns the id of the one with the photo */
async function playSandbox(client: RestClient): Promise<string> {
  const photo = await client.upload<{ id: string }>('/media', 'cake.png', PHOTO.bytes);
  const sent = await client.post<{ conversation_id: string }>('/sandbox/inbound', {
    platform: 'whatsapp',
    sender: { id: '4915170000009', name: 'Ada Lovelace' },
    content: 'Can you make this cake for Saturday?',
    attachments: [{ id: photo.data.id }],
  });
  for (const [index, [platform, name, content]] of PEOPLE.entries())
    await client.post('/sandbox/inbound', { platform, sender: { id: `4915170000${index}`, name }, content });
  for (const recipient of ['sandbox_fail', 'sandbox_blocked'])
    await client.post('/messages/send', { platform: 'telegram', recipient, message: 'Your order is ready.' });
  const toAda = { platform: 'whatsapp', recipient: '4915170000009' } as const;
  await client.post('/messages/send', {
    ...toAda,
    message: 'With pleasure. When will you fetch it?',
    interactive: {
      type: 'choice',
      options: [
        { id: 'morning', title: 'In the morning' },
        { id: 'noon', title: 'At noon' },
      ],
    },
  });
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
  await client.post('/messages/send', { ...toAda, message: 'Your cake is ready.', send_at: tomorrow });
  return sent.data.conversation_id;
}

/** Creates the data that the lists show. @returns every page to capture */
async function shotsOf({ gateway }: Stage): Promise<Shot[]> {
  const [live, test] = gateway.createdKeys as [string, string];
  const client = new RestClient(gateway.url, live);
  const sandbox = new RestClient(gateway.url, test);
  const withPhoto = await playSandbox(sandbox);
  const [conversation] = (await client.get<{ id: string }[]>('/conversations')).data;
  const [answered] = (
    await client.get<{ id: string }[]>(
      `/messages?conversation_id=${conversation!.id}&direction=outbound&sort=created_at`,
    )
  ).data;
  const timeline = await client.get<{ step: string; data: { event_id?: string } }[]>(
    `/messages/${answered!.id}/timeline`,
  );
  const event = timeline.data.find(({ step }) => step === 'event')?.data.event_id;
  const scopes = ['read:messages', 'write:messages'];
  const shop = await client.post<{ id: string }>('/admin/api-keys', { name: 'Shop system', scopes });
  await client.post('/admin/api-keys', { name: 'Monitoring', scopes: ['read:status'] });
  const url = 'https://shop.example/hooks/gateway';
  const [tool] = (await client.get<{ id: string }[]>('/tools')).data;
  const events = ['message.received', 'message.failed'];
  const webhook = await client.post<{ id: string }>('/webhooks', { url, events });
  const accounts = await client.get<{ id: string | null }[]>('/integrations');
  const account = accounts.data.find(({ id }) => id !== null);
  return [
    { name: 'sign-in', path: '' },
    { name: 'overview', path: '', key: live },
    { name: 'problems', path: '', key: test },
    { name: 'find', path: '', key: test, prepare: (page) => page.keyboard.press('Control+k') },
    { name: 'conversations', path: '/conversations', key: test },
    { name: 'conversation', path: `/conversations/${conversation!.id}`, key: live },
    { name: 'conversation-files', path: `/conversations/${withPhoto}`, key: test },
    { name: 'message', path: `/messages/${answered!.id}`, key: live },
    { name: 'event', path: `/events/${event}`, key: live },
    { name: 'playground', path: '/playground', key: test, prepare: sendAsPerson },
    { name: 'statistics', path: '/statistics', key: live },
    { name: 'api-keys', path: '/api-keys', key: live },
    { name: 'api-key', path: `/api-keys/${shop.data.id}`, key: live },
    { name: 'webhooks', path: '/webhooks', key: live },
    { name: 'webhook', path: `/webhooks/${webhook.data.id}`, key: live },
    { name: 'tools', path: '/tools', key: live },
    { name: 'tool', path: `/tools/${tool!.id}`, key: live },
    { name: 'audit-log', path: '/audit-log', key: live },
    { name: 'accounts', path: '/accounts', key: live },
    { name: 'connect', path: '/accounts/connect?platform=telegram', key: live },
    { name: 'account', path: `/accounts/${account!.id}`, key: live },
    { name: 'settings', path: '/settings', key: live },
    { name: 'system', path: '/system', key: live },
    { name: 'no-such-page', path: '/nowhere', key: live },
  ];
}

async function sendAsPerson(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Send as this person' }).click();
  await page.getByText('Delivered', { exact: true }).waitFor();
}

async function take(browser: Browser, origin: string, { name, path, key, prepare }: Shot): Promise<void> {
  for (const width of WIDTHS) {
    for (const colorScheme of SCHEMES) {
      const context = await browser.newContext({ viewport: { width, height: 800 }, colorScheme, locale: 'en-US' });
      if (key) await context.addInitScript(signedInWith(key));
      const page = await context.newPage();
      await page.goto(`${origin}/dashboard${path}`);
      await complete(page);
      if (prepare) {
        await prepare(page);
        await complete(page);
      }
      await writeFile(join(FOLDER, `${name}-${width}-${colorScheme}.webp`), await picture(page));
      await context.close();
    }
  }
}

/** Resolves when the page has loaded and its animations have ended. */
async function complete(page: Page): Promise<void> {
  await page.getByRole('heading').first().waitFor();
  await page.waitForTimeout(STILL_MS);
  await page.waitForFunction(`!document.querySelector('.mantine-Skeleton-root, .mantine-Loader-root')`);
  await page.waitForTimeout(STILL_MS);
}

/** A WebP is a third of a PNG in size. Playwright's own screenshots cannot be WebP. */
async function picture(page: Page): Promise<Buffer> {
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 75 });
  return Buffer.from(data, 'base64');
}

async function main(): Promise<void> {
  await mkdir(FOLDER, { recursive: true });
  const stage = await openStage('warn');
  const browser = await launchChromium();
  try {
    await playConversation(stage, new Printer(() => undefined, false));
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
