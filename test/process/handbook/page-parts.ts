import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Operation } from '../../openapi/document';
import { ROOT } from '../../support/environment';

/** The README and the pages of the handbook: [path, text]. */
export const PAGES = ['README.md', ...globSync('docs/*.md', { cwd: ROOT }).sort()].map(
  (path) => [path, readFileSync(join(ROOT, path), 'utf8')] as const,
);

/** First words of blocks that are not run: they install, or need systemd, a container engine, a cluster or Meta. */
const NOT_RUN =
  /^(?:git|npm ci|TELEGRAM_BOT_TOKEN=|node_modules\/|sh docker|docker|systemctl|kubectl|useradd|install|cd|curl -X POST "https:\/\/graph) ?/;

/** The shell blocks of a page, as one script. */
export function scriptOf(text: string): string {
  return [...text.matchAll(/^( *)```sh\n([^]*?)^ *```/gm)]
    .map(([, indent, block]) => block!.replaceAll(new RegExp(`^${indent}`, 'gm'), ''))
    .filter((block) => !NOT_RUN.test(block))
    .join('');
}

export interface PageRequest {
  method: string;
  path: string;
  body: string | undefined;
}

/** The requests that a page names: `METHOD /path`, with a body behind it, or behind "with"; and its `http` blocks. */
export function requestsOf(text: string): PageRequest[] {
  const named =
    /`(GET|POST|PATCH|PUT|DELETE) (?:\/api\/v1)?(\/[\w/{}?=,-]*)(?: (\{[^`]*\}))?`(?: with `(\{[^`]*\})`)?/g;
  const blocks = /^```http\n(\w+) \/api\/v1(\S+)\n([^]*?)```/gm;
  return [...text.matchAll(named), ...text.matchAll(blocks)].map(([, method, path, body, bodyAfterWith]) => ({
    method: method!,
    path: path!,
    body: body ?? bodyAfterWith,
  }));
}

/** Whether the page shows everything that the operation requires. */
export function isComplete(operations: readonly Operation[], { method, path, body }: PageRequest): boolean {
  const patternOf = (of: string) => of.replace(/^\/api\/v1|\?.*/, '').replaceAll(/\{\w+\}/g, '{}');
  const operation = operations.find(
    (each) => each.method === method && patternOf(each.path) === patternOf(path.replace(/\?.*/, '')),
  );
  return operation !== undefined && (body !== undefined || !operation.requestBody?.required);
}
