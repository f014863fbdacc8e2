import type { Locator } from 'playwright-core';
import { isForLiveKeys, operationsOf, type Operation } from '../openapi/document';
import { exampleRequests, type ExampleRequest } from '../openapi/requests';
import { contractOf } from '../support/contract';
import { useGateway } from '../support/gateway';
import { resolveNoNames } from '../support/no-names';
import { fixturesFor } from '../support/operation-fixtures';
import { png } from '../support/png';
import { describeInBrowser } from '../browser/support/chromium';
import { openExplorer, openOperation } from '../browser/support/explorer';

const gateway = useGateway();

/** The page draws slowly: with these, the walk takes minutes. */
const hasIds = ({ path }: Operation) => path.includes('{');
/** Its answer does not end. */
const isStream = ({ path }: Operation) => path === '/api/v1/events/stream';
/** Operations without a key: they are for load balancers, or for the link that the first start prints. */
const isPublic = ({ security }: Operation) => security!.length === 0;

/** Fills in what the page leaves to its reader: the ids in the example of the body, and the file. */
async function fillIn(block: Locator, { body }: ExampleRequest): Promise<void> {
  const text = block.locator('textarea.body-param__text');
  if ((await text.count()) > 0 && /_01h455vb4pex5vsknk084sn02q/.test(await text.inputValue()))
    await text.fill(JSON.stringify(body));
  const file = block.locator('input[type=file]');
  if ((await file.count()) > 0)
    await file.setInputFiles({ name: 'photo.png', mimeType: 'image/png', buffer: png(10, 10) });
}

describeInBrowser('the page /docs', () => {
  it('the API explorer runs every operation without an id in its path, in order, with its defaults', async () => {
    const { document } = await contractOf(gateway.url);
    resolveNoNames(gateway);
    const pages = {
      test: await openExplorer(gateway.url, gateway.testKey),
      live: await openExplorer(gateway.url, gateway.liveKey),
    };
    const failed: unknown[] = [];
    for (const operation of operationsOf(document).filter(
      (each) => !hasIds(each) && !isStream(each) && !isPublic(each),
    )) {
      const [request] = exampleRequests(document, operation, await fixturesFor(gateway, operation));
      const page = isForLiveKeys(operation) ? pages.live : pages.test;
      const block = await openOperation(page, operation);
      await fillIn(block, request!);
      await block.getByRole('button', { name: 'Execute' }).click();
      const status = block.locator('.live-responses-table tbody .response-col_status').first();
      await status.waitFor();
      const shown = (await status.innerText()).trim();
      if (!/^2\d\d/.test(shown))
        failed.push([operation.operationId, await block.locator('.live-responses-table').innerText()]);
      await block.locator('.opblock-summary-control').first().click();
    }
    expect(failed).toEqual([]);
  }, 600_000);
});
