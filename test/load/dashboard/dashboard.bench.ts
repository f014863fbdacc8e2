import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CHROMIUM } from '../../support/chromium';
import type { Bench } from '../bench.port';
import { startGatewayServer } from '../gateway-server';
import { filledDatabase } from '../list/gateway-database';
import { measurePage } from './page';
import { measureStreams } from './streams';

const API_KEY = 'service_sk_test_benchbenchbenchbenchbenchbenchbe';
const MESSAGES = 1_000_000;

/** The dashboard in Debian's Chromium with 10,000 conversations and 1,000,000 messages; then the event stream. */
export const DASHBOARD: Bench = {
  description: 'the page: its weight, its first view, its longest list; then 200 streams of events beside sends',
  async run(stage) {
    execFileSync(process.execPath, [join(process.cwd(), 'scripts/build-dashboard.mjs'), '--if-stale'], {
      stdio: 'inherit',
    });
    const databaseUrl = await filledDatabase(stage, MESSAGES);
    const { origin } = await startGatewayServer(stage, 'gateway', databaseUrl, { BOOTSTRAP_API_KEY: API_KEY });
    const measured = { stage, databaseUrl, origin, apiKey: API_KEY };
    if (existsSync(CHROMIUM)) await measurePage(measured);
    else console.log(`\n${CHROMIUM} is missing: the page is not measured. Debian: apt-get install chromium`);
    await measureStreams(measured);
  },
};
