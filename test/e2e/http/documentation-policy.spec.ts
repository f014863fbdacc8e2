import { startTestGateway } from '../../support/gateway';

it('/docs works under a content policy without inline scripts and other hosts', async () => {
  const { url } = await startTestGateway();
  const page = await fetch(`${url}/docs`);
  const policy = page.headers.get('content-security-policy')!;
  expect(policy).toMatch(/default-src 'none'.*script-src 'self';.*frame-ancestors 'none'/);
  const html = await page.text();
  expect(html).not.toMatch(/<script(?![^>]*\bsrc=)[^>]*>\s*\S/);
  const sources = [...html.matchAll(/<(?:script|link)[^>]*(?:src|href)=["']([^"']+)/g)].map(([, source]) => source!);
  expect(sources.length).toBeGreaterThan(2);
  for (const source of sources) {
    const asset = await fetch(new URL(source, `${url}/docs`));
    expect([source, asset.status]).toEqual([source, 200]);
    expect(new URL(asset.url).origin).toBe(url);
    expect(asset.headers.get('content-security-policy')).toBe(policy);
  }
  expect((await fetch(`${url}/health/live`)).headers.get('content-security-policy')).toBeNull();
});
