import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ERRORS, SEND_FAILURES } from '#contracts';

const document = readFileSync(join(__dirname, '../../docs/errors.md'), 'utf8');
const rows = document
  .split('\n')
  .filter((line) => line.startsWith('|'))
  .map((line) => line.split('|').map((cell) => cell.trim()));

describe('docs/errors.md', () => {
  it('lists exactly the codes and statuses of the error catalogue', () => {
    const documented = rows
      .filter(([, code]) => /^[A-Z_]+$/.test(code!))
      .map(([, code, status]) => [code, Number(status)]);
    expect(documented).toEqual(Object.entries(ERRORS).map(([code, { status }]) => [code, status]));
  });

  it('lists exactly the send failures, with their texts and whether they may be retried', () => {
    const documented = rows
      .filter(([, code]) => /^[a-z_]+$/.test(code!))
      .map(([, code, retryable, message]) => [code, retryable === 'yes', message]);
    expect(documented).toEqual(
      Object.entries(SEND_FAILURES).map(([code, { retryable, message }]) => [code, retryable, message]),
    );
  });
});
