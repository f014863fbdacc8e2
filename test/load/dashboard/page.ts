import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Browser, Page } from 'playwright-core';
import { launchChromium, signedInWith } from '../../support/chromium';
import { CONVERSATIONS } from '../list/list-rows';
import { median } from '../statistics';
import { longestTask, TRACED, type TaskTime } from './trace';
import type { Measured } from './streams';
import { printVerdict } from '../goals';

const ASSETS = join(process.cwd(), 'dist/dashboard/assets');
const VISITS = 5;
const VIEWPORT = { width: 1280, height: 800 };
const GOAL_SCRIPT_KB = 250;
const GOAL_USABLE_MS = 1_000;
const GOAL_TASK_MS = 50;

/** The overview is usable once it shows health and the chart, and no placeholder. */
const IS_USABLE = `document.querySelector('[aria-label=Health]') && document.querySelector('main canvas')
  && !document.querySelector('.mantine-Skeleton-root')`;

/** Resolves `window.usable` in the first frame in which the overview is usable, with the milliseconds since navigation. */
const NOTE_USABLE = `window.usable = new Promise((resolve) => {
  const look = () => { if (${IS_USABLE}) resolve(performance.now()); else requestAnimationFrame(look); };
  requestAnimationFrame(look);
})`;

/** Scrolls like a fast mouse wheel, one screen every second frame, until the last row is shown. */
const SCROLL = `new Promise((resolve) => {
  const list = document.querySelector('[role=list][aria-label=Conversations]');
  const step = () => {
    const last = [...list.querySelectorAll('[role=listitem]')].at(-1);
    const isLast = last?.getAttribute('aria-setsize') === last?.getAttribute('aria-posinset');
    if (isLast && list.scrollTop + list.clientHeight >= list.scrollHeight - 1) return resolve(Number(last.getAttribute('aria-posinset')));
    list.scrollTop += list.clientHeight;
    requestAnimationFrame(() => requestAnimationFrame(step));
  };
  step();
})`;

interface Visit {
  /** Bytes of JavaScript, compressed by gzip. */
  scripts: number;
  /** Milliseconds since the navigation began. */
  usableAt: number;
  /** CPU time of the page's process until `usableAt`, in milliseconds. */
  cpuMs: number;
}

/** Measures the page's JavaScript size, its time until usable, and how smoothly its longest list scrolls. */
export async function measurePage(measured: Measured): Promise<void> {
  const browser = await launchChromium();
  try {
    console.log('\nthe page, over loopback');
    const visits: Visit[] = [];
    for (let visit = 0; visit < VISITS; visit++) visits.push(await visitOverview(browser, measured));
    printVerdict('JavaScript of sign-in and overview, gzip', visits[0]!.scripts / 1_000, {
      limit: GOAL_SCRIPT_KB,
      unit: 'kB',
    });
    const usable = median(visits.map(({ usableAt }) => usableAt));
    printVerdict(`from navigation to a usable overview, median of ${VISITS} visits without a cache`, usable, {
      limit: GOAL_USABLE_MS,
      unit: 'ms',
    });
    console.log(`  of that, processor time of the page: ${median(visits.map(({ cpuMs }) => cpuMs)).toFixed(0)} ms`);
    const { rows, task } = await scrollConversations(browser, measured);
    if (rows !== CONVERSATIONS) throw new Error(`The list ended after ${rows} of ${CONVERSATIONS} conversations`);
    console.log(
      `  ${rows.toLocaleString('en')} conversations scrolled through; the longest task took ${task.wallMs.toFixed(0)} ms`,
    );
    printVerdict('the longest task, processor time', task.cpuMs, { limit: GOAL_TASK_MS, unit: 'ms' });
  } finally {
    await browser.close();
  }
}

async function openPage(browser: Browser, { origin, apiKey }: Measured): Promise<Page> {
  const context = await browser.newContext({ viewport: VIEWPORT, baseURL: origin });
  await context.addInitScript(signedInWith(apiKey));
  return context.newPage();
}

async function visitOverview(browser: Browser, measured: Measured): Promise<Visit> {
  const page = await openPage(browser, measured);
  const scripts = new Set<string>();
  page.on('request', (request) => {
    const [, name] = /\/assets\/([^/]+\.js)$/.exec(new URL(request.url()).pathname) ?? [];
    if (name !== undefined) scripts.add(name);
  });
  await page.addInitScript(NOTE_USABLE);
  await page.goto('/dashboard');
  const usableAt = await page.evaluate<number>('window.usable');
  const cpuMs = await processTime(page);
  await page.context().close();
  const sizes = await Promise.all(
    [...scripts].map(async (name) => gzipSync(await readFile(join(ASSETS, name))).length),
  );
  return { scripts: sizes.reduce((sum, size) => sum + size, 0), usableAt, cpuMs };
}

async function processTime(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable');
  const { metrics } = await session.send('Performance.getMetrics');
  return (metrics.find(({ name }) => name === 'ProcessTime')?.value ?? NaN) * 1_000;
}

async function scrollConversations(browser: Browser, measured: Measured): Promise<{ rows: number; task: TaskTime }> {
  const page = await openPage(browser, measured);
  await page.goto('/dashboard/conversations');
  await page.getByRole('listitem').first().waitFor();
  await browser.startTracing(page, { categories: TRACED });
  const rows = await page.evaluate<number>(SCROLL);
  const task = longestTask(await browser.stopTracing());
  await page.context().close();
  return { rows, task };
}
