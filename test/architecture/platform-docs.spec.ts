import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { DISCORD_TABLES, TELEGRAM_TABLES, WHATSAPP_TABLES } from '#platforms';
import { platformsPage } from './platform-docs';

const FILE = join(__dirname, '../../docs/platforms.md');
/** Each platform’s tables, in the order of the page. */
const TABLES = [...TELEGRAM_TABLES, ...WHATSAPP_TABLES, ...DISCORD_TABLES];

/** `npm run docs:platforms` writes the page; without it, the page must be what would be written. */
it('docs/platforms.md matches the platform tables: update it with `npm run docs:platforms`', async () => {
  const page = await format(platformsPage(TABLES), { ...(await resolveConfig(FILE)), parser: 'markdown' });
  if (process.env['WRITE_PLATFORM_DOCS']) writeFileSync(FILE, page);
  expect(readFileSync(FILE, 'utf8')).toBe(page);
});

it('each table lists a kind once', () => {
  for (const { title, rows } of TABLES)
    expect([title, new Set(rows.map(({ kind }) => kind)).size]).toEqual([title, rows.length]);
});
