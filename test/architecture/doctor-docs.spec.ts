import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FINDINGS } from '#contracts';
import { sourceFiles } from './source-rules';

const ROOT = join(__dirname, '../..');

describe('docs/doctor.md', () => {
  it('has exactly the findings of the code: code, status, meaning and fix', () => {
    const documented = readFileSync(join(ROOT, 'docs/doctor.md'), 'utf8')
      .split('\n')
      .map((line) => line.split('|').map((cell) => cell.trim()))
      .filter(([, code]) => /^`[a-z]+\.[a-z-]+`$/.test(code ?? ''))
      .map(([, code, status, meaning, fix]) => [code!.replaceAll('`', ''), status, meaning, fix]);
    expect(documented).toEqual(
      Object.entries(FINDINGS).map(([code, { status, meaning, fix }]) => [code, status, meaning, fix]),
    );
  });
});

describe('the findings of the doctor', () => {
  const texts = [...sourceFiles(ROOT, ['src', 'libs', 'test/e2e'])];

  it('each appear in a spec', () => {
    const specs = texts.filter(({ path }) => path.endsWith('.spec.ts')).map(({ text }) => text.replaceAll('\\.', '.'));
    const untested = Object.keys(FINDINGS).filter((code) => !specs.some((text) => text.includes(code)));
    expect(untested).toEqual([]);
  });
});
