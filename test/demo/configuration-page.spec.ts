import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CONFIGURATION_VARIABLES } from '../../src/core/config/configuration.schema';

const PAGE = join(__dirname, '..', '..', 'docs', 'configuration.md');

/** The table rows whose first cell is a variable, without Markdown marks. */
function documentedVariables(markdown: string): { name: string; default: string; meaning: string }[] {
  return markdown
    .split('\n')
    .filter((line) => /^\| `[A-Z0-9_]+` /.test(line))
    .map((line) => {
      const cells = line.split(/(?<!\\)\|/).map((cell) => cell.replaceAll(/[`\\]/g, '').trim());
      return { name: cells[1]!, default: cells[2]!, meaning: cells[3]! };
    });
}

describe('docs/configuration.md', () => {
  it('lists every variable, its default and its meaning, in the order of the schema', () => {
    expect(documentedVariables(readFileSync(PAGE, 'utf8'))).toEqual(CONFIGURATION_VARIABLES);
  });
});
