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
  const tag = tags![0]!;
  const open = await page.locator('h3[data-tag][data-is-open="true"]').all();
  const names = await Promise.all(open.map((each) => each.getAttribute('data-tag')));
  for (const name of names) if (name !== tag) await turnTag(page, name!, false);
  if (!names.includes(tag)) await turnTag(page, tag, true);
  const block = page.locator(`[id$="-${operationId.replaceAll('.', String.raw`\\.`)}"].opblock`);
  await block.locator('.opblock-summary-control').first().click();
  await block.getByRole('button', { name: 'Execute' }).waitFor();
  return block;
}

/** The page draws after the click: a second click too soon would turn the tag back. */
async function turnTag(page: Page, name: string, isOpen: boolean): Promise<void> {
  const tag = (open: boolean) => page.locator(`h3[data-tag="${name}"][data-is-open="${open}"]`);
  await tag(!isOpen).click();
  await tag(isOpen).waitFor();
}
