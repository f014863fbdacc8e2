import { useGateway } from '../support/gateway';
import { describeInBrowser } from './support/chromium';
import { openExplorer, openOperation } from './support/explorer';

const gateway = useGateway();

describeInBrowser('the page /docs', () => {
  it('the API explorer shows parameter examples without filling them in', async () => {
    const page = await openExplorer(gateway.url, gateway.testKey);
    const block = await openOperation(page, { tags: ['Messages'], operationId: 'messages.list' });
    const row = block.locator('tr[data-param-name="start_date"]');
    await row.getByText(/Example: /).waitFor();
    expect(await row.locator('input').inputValue()).toBe('');
  });

  it('the API explorer shows a schema in place of each reference', async () => {
    const page = await openExplorer(gateway.url, gateway.testKey);
    const references = await page.evaluate<string[]>(`(async () => {
      const spec = await (await fetch('/docs-json')).json();
      const operations = Object.entries(spec.paths).flatMap(([path, item]) =>
        Object.keys(item).map((method) => ['paths', path, method]));
      const found = await Promise.all(operations.map((path) => resolveSubtree(spec, path)));
      return JSON.stringify(found).match(/"[$]ref":"[^"]*"/g);
    })()`);
    // This one refers to itself.
    expect([...new Set(references)]).toEqual(['"$ref":"#/components/schemas/FieldSchema"']);
  });

  it('the API explorer is compressed, and cached until it changes', async () => {
    for (const path of [
      '/docs',
      '/docs/explorer.js',
      '/docs/swagger-ui-bundle.js',
      '/docs/swagger-ui.css',
      '/docs-json',
    ]) {
      const first = await fetch(gateway.url + path, { headers: { 'accept-encoding': 'gzip' } });
      expect([path, first.status, first.headers.get('content-encoding')]).toEqual([path, 200, 'gzip']);
      await first.arrayBuffer();
      const again = await fetch(gateway.url + path, { headers: { 'if-none-match': first.headers.get('etag')! } });
      expect([path, again.status]).toEqual([path, 304]);
    }
  });
});
