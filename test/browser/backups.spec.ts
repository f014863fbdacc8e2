import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTestGateway, type TestGateway } from '../support/gateway';
import { describeInBrowser, openPage } from './support/chromium';
import { signIn } from './support/sign-in';

let directory: string;
let gateway: TestGateway;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gateway-backups-'));
  gateway = await startTestGateway({ env: { BACKUP_DIR: directory, BACKUP_SCHEDULE: '0 3 * * *' } });
});
afterAll(() => rm(directory, { recursive: true, force: true }));

describeInBrowser('the backups of the dashboard', () => {
  it.each([1280, 390])(
    'backups are made, listed and verified, %i pixels wide, with schedule and place',
    async (width) => {
      const { page, messages } = await openPage(gateway.url, { viewport: { width, height: 900 } });
      await signIn(page, gateway.liveKey, '/dashboard/system');
      const main = page.getByRole('main');
      await main.getByText(`Folder: ${directory}`).waitFor();
      await main.getByText('Next backup:').waitFor();
      await main.getByRole('button', { name: 'Back up now' }).click();
      const verifyButtons = main.getByRole('button', { name: /^Verify bak_/ });
      await verifyButtons.first().click();
      await page.getByText('The backup can be restored.').waitFor();
      await main.getByText('0 files', { exact: true }).first().waitFor();
      await main.getByLabel('With message files').uncheck();
      const made = await verifyButtons.count();
      const [request] = await Promise.all([
        page.waitForRequest((each) => each.method() === 'POST' && each.url().endsWith('/admin/backups')),
        main.getByRole('button', { name: 'Back up now' }).click(),
      ]);
      expect(request.postDataJSON()).toEqual({ media: false });
      // While it runs, the next backup with files would be refused.
      await verifyButtons.nth(made).waitFor();
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor();
        const wider = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
        expect(wider).toBeLessThanOrEqual(0);
        if (process.env['SHOTS'])
          await page.screenshot({ path: `${process.env['SHOTS']}/${width}-${colorScheme}.png`, fullPage: true });
      }
      expect(await readdir(directory)).toContain('this-folder.id');
      expect(messages).toEqual([]);
    },
    60_000,
  );
});
