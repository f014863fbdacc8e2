import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { apiDocument, apiTypes } from '../../client/api-types';

const FILE = join(__dirname, '../../../libs/client/api-types.ts');

/** `npm run client:types` writes the file; without it, the file must be what would be written. */
it("the client's types match the OpenAPI document: update them with `npm run client:types`", async () => {
  const types = await apiTypes(await apiDocument());
  if (process.env['WRITE_CLIENT_TYPES']) writeFileSync(FILE, types);
  expect(readFileSync(FILE, 'utf8') === types).toBe(true);
});
