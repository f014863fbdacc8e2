import type { Page } from 'playwright-core';

/** Signs in as a person does. */
export async function signIn(page: Page, key: string, path = '/dashboard'): Promise<void> {
  await page.goto(path);
  await page.getByLabel('API key', { exact: true }).fill(key);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page
    .getByRole('navigation', { name: 'Pages' })
    .or(page.getByRole('button', { name: 'Menu' }))
    .first()
    .waitFor();
}
