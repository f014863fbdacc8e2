import { existsSync } from 'node:fs';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { CHROMIUM, launchChromium as launch } from '../../support/chromium';

const LOUD = `
################################################################################
#  ${CHROMIUM} is missing: THE BROWSER TESTS ARE SKIPPED.
#  Debian: apt-get install chromium. Elsewhere: CHROMIUM_PATH=/path/to/chromium
################################################################################
`;

const isInstalled = existsSync(CHROMIUM);

/** Like `describe`. Without Chromium it prints a warning and skips the tests. */
export function describeInBrowser(title: string, specs: () => void): void {
  if (!isInstalled) process.stderr.write(LOUD);
  (isInstalled ? describe : describe.skip)(title, specs);
}

let running: Promise<Browser> | undefined;

export function launchChromium(): Promise<Browser> {
  running ??= launch();
  return running;
}

export async function closeChromium(): Promise<void> {
  await (await running)?.close();
  running = undefined;
}

/** A page that records its console messages and its requests. */
export interface WatchedPage {
  page: Page;
  /** Messages of the console and errors that no code caught. */
  messages: string[];
  /** Requests to other origins than the gateway's. */
  foreign: string[];
  /** Requests to the API, as `GET /api/v1/status`. */
  requests: string[];
}

/** @param origin of the gateway */
export async function openPage(origin: string, options: BrowserContextOptions = {}): Promise<WatchedPage> {
  const browser = await launchChromium();
  const context = await browser.newContext({ baseURL: origin, locale: 'en-GB', ...options });
  const page = await context.newPage();
  const watched: WatchedPage = { page, messages: [], foreign: [], requests: [] };
  page.on('console', (message) => watched.messages.push(`${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => watched.messages.push(`uncaught: ${error.message}`));
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (url.origin !== origin && url.protocol !== 'data:') watched.foreign.push(request.url());
    else if (url.pathname.startsWith('/api/')) watched.requests.push(`${request.method()} ${url.pathname}`);
  });
  return watched;
}

afterAll(closeChromium);
