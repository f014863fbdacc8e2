import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';

interface AxeResults {
  violations: { id: string; help: string; nodes: { html: string; failureSummary: string }[] }[];
}

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

/** The rules whose result depends on colours. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];

interface AxeOptions {
  /** By default all. */
  rules?: 'all' | 'colours';
}

/** The violations of WCAG 2.2 AA that axe-core finds in the page, one line each. */
export async function axeFaults(page: Page, { rules = 'all' }: AxeOptions = {}): Promise<string[]> {
  if (!(await page.evaluate<boolean>(`'axe' in window`)))
    await page.evaluate(await readFile(require.resolve('axe-core/axe.min.js'), 'utf8'));
  const runOnly = rules === 'all' ? { type: 'tag', values: RULES } : { type: 'rule', values: COLOUR_RULES };
  const options = JSON.stringify({ runOnly, resultTypes: ['violations'] });
  const { violations } = await page.evaluate<AxeResults>(`axe.run(document, ${options})`);
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary}`),
  );
}
