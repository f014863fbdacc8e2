import type { Locator, Page } from 'playwright-core';
import type { Operation } from '../../openapi/document';
import { openPage } from './chromium';

/** The page /docs, with the key entered. */
export async function openExplorer(url: string, key: string): Promise<Page> {
  const { page } = await openPage(url, { viewport: { width: 1280, height: 900 } });
  await page.goto('/docs');
  await page.getByRole('button', { name: 'Authorize' }).click();
  const dialog = page.locator('.dialog-ux');
  await dialog.getByRole('textbox').fill(key);
  await dialog.getByRole('button', { name: 'Apply credentials' }).click();
  await dialog.getByRole('button', { name: 'Close' }).first().click();
  return page;
}

/** Opens the operation and its tag, and closes the other tags: the page draws all operations of open tags at each change. */
export async function openOperation(
  page: Page,
  { tags, operationId }: Pick<Operation, 'tags' | 'operationId'>,
): Promise<Locator> {
  const tag = page.locator(`h3[data-tag="${tags![0]!}"]`);
  for (const other of await page.locator(`h3[data-tag][data-is-open="true"]:not([data-tag="${tags![0]!}"])`).all())
    await other.click();
  if ((await tag.getAttribute('data-is-open')) === 'false') await tag.click();
  const block = page.locator(`[id$="-${operationId.replaceAll('.', String.raw`\\.`)}"].opblock`);
  await block.locator('.opblock-summary-control').first().click();
  return block;
}
