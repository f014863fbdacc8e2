import { readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { WhatsAppFake } from '../fakes/whatsapp.fake';
import { describeInBrowser, openPage } from './support/chromium';
import { signIn } from './support/sign-in';
import { startTestGateway, useGateway } from '../support/gateway';

const INDEX = join(__dirname, '../../dist/dashboard/index.html');
const ASSETS = join(__dirname, '../../dist/dashboard/assets');

const gateway = useGateway();

const get = (path: string, headers?: Record<string, string>) =>
  fetch(`${gateway.url}${path}`, { redirect: 'manual', headers });

async function scriptPath(): Promise<string> {
  return /src="(?<path>\/dashboard\/assets\/[^"]+\.js)"/.exec(await readFile(INDEX, 'utf8'))!.groups!.path!;
}

describe('the files of the dashboard', () => {
  it('are what / redirects to', async () => {
    const response = await get('/');
    expect([response.status, response.headers.get('location')]).toEqual([302, '/dashboard']);
  });

  it.each(['/dashboard', '/dashboard/', '/dashboard/webhooks/wh_x?a=b'])('include the document at %s', async (path) => {
    const response = await get(path);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(response.headers.get('cache-control')).toBe('no-store');
    const [, nonce] = /'nonce-(.+?)'/.exec(response.headers.get('content-security-policy')!)!;
    expect(await response.text()).toBe(
      (await readFile(INDEX, 'utf8')).replace('__STYLE_NONCE__', nonce!).replace('__PUBLIC_URL__', ''),
    );
  });

  it('forbid scripts from and requests to other hosts', async () => {
    const policy = (await get('/dashboard')).headers.get('content-security-policy')!;
    const directives = new Map(policy.split('; ').map((text) => [text.split(' ')[0], text.split(' ').slice(1)]));
    expect(directives.get('default-src')).toEqual(["'none'"]);
    expect(directives.get('script-src')).toEqual(["'self'"]);
    const [own, nonce] = directives.get('style-src')!;
    expect([own, nonce]).toEqual(["'self'", expect.stringMatching(/^'nonce-[\w+/]{24}'$/)]);
    expect((await get('/dashboard')).headers.get('content-security-policy')).not.toContain(nonce);
    expect(directives.get('connect-src')).toEqual(["'self'"]);
    expect(directives.get('frame-ancestors')).toEqual(["'none'"]);
    expect(policy).not.toMatch(/https?:|\*|unsafe-/);
  });

  it('name no other host in the document', async () => {
    expect(await readFile(INDEX, 'utf8')).not.toMatch(/https?:\/\/|<style|onload=/);
  });

  it('are immutable under their content hash, and compressed', async () => {
    const response = await get(await scriptPath(), { 'accept-encoding': 'br' });
    expect(response.status).toBe(200);
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(response.headers.get('content-type')).toMatch(/^(text|application)\/javascript/);
    expect(response.headers.get('content-encoding')).toBe('br');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  });

  it('answer 404 for a name that no build produced', async () => {
    const response = await get('/dashboard/assets/index-00000000.js');
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ error: { code: 'RESOURCE_NOT_FOUND' } });
  });

  it.each(['/dashboard/assets/..%2f..%2f..%2fpackage.json', '/dashboard/assets/%2e%2e/index.html'])(
    'cannot be left with the path %s',
    async (path) => {
      const text = await (await get(path)).text();
      expect(text).not.toContain('devDependencies');
    },
  );
});

describeInBrowser('the overview', () => {
  it('the dashboard loads at most 260 kB of JavaScript, compressed by gzip', async () => {
    const { page } = await openPage(gateway.url);
    await signIn(page, gateway.testKey);
    const scripts = new Set<string>();
    page.on('request', (request) => {
      if (request.resourceType() === 'script') scripts.add(basename(new URL(request.url()).pathname));
    });
    await page.reload();
    await page.getByRole('img', { name: /^Messages by day/ }).waitFor();
    // The browser loads the last files when it is idle.
    await page.evaluate('new Promise((resolve) => requestIdleCallback(resolve, { timeout: 3_000 }))');
    const sizes = [...scripts].map(async (name) => (await stat(join(ASSETS, `${name}.gz`))).size);
    const total = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
    expect(total).toBeGreaterThan(100_000);
    expect(total).toBeLessThanOrEqual(260_000);
  });
});

describe('DASHBOARD=false', () => {
  it('turns off the dashboard and the redirect', async () => {
    const without = await startTestGateway({ env: { DASHBOARD: 'false' } });
    for (const path of ['/', '/dashboard', '/dashboard/webhooks', await scriptPath()]) {
      const response = await fetch(`${without.url}${path}`, { redirect: 'manual' });
      expect([path, response.status]).toEqual([path, 404]);
    }
    expect((await fetch(`${without.url}/health/ready`)).status).toBe(200);
  });
});

describeInBrowser('PUBLIC_URL', () => {
  const whatsapp = new WhatsAppFake();
  beforeAll(() => whatsapp.start());
  afterAll(() => whatsapp.shutDown());

  it('is the address of callbacks that the dashboard shows', async () => {
    const behind = await startTestGateway({
      env: { ...whatsapp.env, PUBLIC_URL: 'https://chat.example.com/a"b' },
    });
    const { body } = await behind.api<{ id: string; platform: string }[]>('GET', '/integrations');
    const { id } = body.data.find(({ platform }) => platform === 'whatsapp')!;
    const { page } = await openPage(behind.url);
    await signIn(page, behind.liveKey);
    await page.goto(`/dashboard/accounts/connect?platform=whatsapp&account=${id}&since=${new Date().toISOString()}`);
    await page.getByText('https://chat.example.com/a"b/callbacks/whatsapp', { exact: true }).waitFor();
  });
});
