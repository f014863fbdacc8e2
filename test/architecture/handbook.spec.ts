import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { Command } from 'commander';
import {
  ATTACHMENT_STATUSES,
  ERRORS,
  EVENT_TYPES,
  EVENTS,
  FINDINGS,
  HANDOVER_REASONS,
  TOOL_CALL_STATUSES,
} from '#contracts';
import { scripts } from '../../package.json';
import { createProgram } from '../../src/operations/cli/program';
import { CONFIGURATION_VARIABLES } from '../../src/core/config/configuration.schema';
import { defaultSettings } from '../../src/core/settings/settings';
import { PROBLEM_KINDS } from '../../src/status/problems/problem';
import { STEPS } from '../../src/timeline/dto/timeline.dto';
import { apiDocument } from '../client/api-types';
import { operationsOf, type OpenApiDocument, type Operation } from '../openapi/document';
import { eventRows, fieldRows, scopeRows } from './handbook-tables';

const ROOT = join(__dirname, '../..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const pages = globSync(['*.md', 'docs/**/*.md', 'libs/*/*.md', '.github/**/*.md'], { cwd: ROOT }).map((path) => ({
  path,
  text: read(path),
}));
/** Decision records and the changelog may also name removed things, so they are left out. */
const handbook = pages.filter(({ path }) => !/^docs\/adr\/\d|^CHANGELOG/.test(path));

/** The code of a page, fenced or between backticks, one piece a line. */
const codeIn = (text: string) =>
  [...text.matchAll(/^ *```\w*\n([^]*?)```|`([^`\n]+)`/gm)].map(([, fenced, inline]) => fenced ?? inline).join('\n');
const code = handbook.map(({ path, text }) => ({ path, text: codeIn(text) }));

/** Matches of a pattern in the handbook's code that the program does not know: `README.md: npm run demmo`. */
function unknown(pattern: RegExp, isKnown: (match: RegExpExecArray) => boolean): string[] {
  return code.flatMap(({ path, text }) =>
    [...text.matchAll(pattern)].filter((match) => !isKnown(match)).map(([whole]) => `${path}: ${whole}`),
  );
}

const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_\- ]/gu, '')
    .replaceAll(' ', '-');
const anchorsIn = (text: string) => [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => anchorOf(heading!));

function isAlive(page: string, link: string): boolean {
  const [file = '', anchor] = link.split('#');
  const target = file === '' ? page : relative(ROOT, join(ROOT, dirname(page), file));
  if (!existsSync(join(ROOT, target))) return false;
  return anchor === undefined || anchorsIn(read(target)).includes(anchor);
}

/** The rows of the table below a heading, without its head. */
function tableIn(page: string, head: string): string[][] {
  const text = read(page);
  const lines = text.slice(text.indexOf(`\n| ${head} `) + 1).split('\n');
  return lines
    .slice(
      2,
      lines.findIndex((line) => !line.startsWith('|')),
    )
    .map((line) =>
      line
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim()),
    );
}

describe('the handbook', () => {
  let document: OpenApiDocument;
  let operations: Operation[];
  const settings = defaultSettings({ model: 'any', ownerEmail: null });

  beforeAll(async () => {
    document = (await apiDocument()) as unknown as OpenApiDocument;
    operations = operationsOf(document);
  });

  it('has no dead link and no dead anchor', () => {
    const dead = pages.flatMap(({ path, text }) =>
      [...text.matchAll(/\]\((?!https?:|mailto:)([^)\s]+)\)/g)]
        .filter(([, link]) => !isAlive(path, link!))
        .map(([, link]) => `${path}: ${link!}`),
    );
    expect(dead).toEqual([]);
  });

  it('lists every page in its table of contents', () => {
    const contents = read('docs/README.md');
    const missing = globSync('docs/*.md', { cwd: ROOT }).filter((path) => !contents.includes(`(${path.slice(5)})`));
    expect(missing).toEqual(['docs/README.md']);
  });

  it('has no empty file, and neither have the sources', () => {
    const files = globSync('{src,libs,test,docs,deploy,docker,scripts,.github}/**/*.*', {
      cwd: ROOT,
      exclude: ['**/node_modules/**', '**/dist/**'],
    });
    expect(files.filter((path) => statSync(join(ROOT, path)).size === 0)).toEqual([]);
  });

  it('names files and folders that exist', () => {
    const inSources = /(?<=^|[ (])(?:src|libs|test|docs|docker|deploy|scripts)\/[\w./-]*[\w/](?=$|[ ),:])/gm;
    // docker/up.sh makes it.
    expect(unknown(inSources, ([path]) => existsSync(join(ROOT, path)) || path === 'docker/.env')).toEqual([]);
  });

  it('names npm scripts that exist', () => {
    expect(unknown(/npm run (?:--silent )?([a-z][\w:-]*)/g, ([, name = '']) => name in scripts)).toEqual([]);
  });

  it('names commands and options that exist', () => {
    const program = createProgram();
    const isCommand = ([, words]: RegExpExecArray) => {
      let command: Command = program;
      for (const word of words!.trim().split(/\s+/)) {
        if (word.startsWith('--')) {
          if (![...program.options, ...command.options].some(({ long }) => long === word) && word !== '--help')
            return false;
          continue;
        }
        const next = command.commands.find((each) => each.name() === word);
        if (!next && command.commands.length > 0) return false;
        command = next ?? command;
      }
      return true;
    };
    const written = /(?:^ *gateway |> gateway |npm run (?:--silent )?gateway -- )((?:--)?[a-z][a-z -]*[a-z])/gm;
    expect(unknown(written, isCommand)).toEqual([]);
  });

  it('names API operations and parameters that exist', () => {
    const isOperation = ([, method, path, query = '']: RegExpExecArray) => {
      const pattern = path!
        .replace(/^\/api\/v1/, '')
        .replaceAll(/\{\w+\}|(?<=\/providers\/)(?:anthropic|openai)/g, '{}');
      if (/^\/(?:metrics|docs|docs-json|dashboard|callbacks|\$)/.test(pattern)) return true;
      const found = operations.filter(
        (operation) =>
          (method === undefined || operation.method === method) &&
          operation.path.replace(/^\/api\/v1/, '').replaceAll(/\{\w+\}/g, '{}') === pattern,
      );
      const names = [...query.matchAll(/[?&](\w+)=/g)].map(([, name]) => name!);
      return found.some(({ parameters = [] }) =>
        names.every((name) => parameters.some((parameter) => parameter.name === name)),
      );
    };
    const written = /\b(GET|POST|PATCH|PUT|DELETE) (\/[\w/{}-]*)(\?\S*)?/g;
    expect(unknown(written, isOperation)).toEqual([]);
    expect(
      unknown(/(?:\$API|(?=\/api\/v1\/))()(\/[\w/{}-]+)(\?[^"` ]*)?/g, ([all, , path, query]) =>
        isOperation([all, undefined, path, query] as unknown as RegExpExecArray),
      ),
    ).toEqual([]);
  });

  it('names variables that exist', () => {
    const known = new Set<string>([
      ...CONFIGURATION_VARIABLES.map(({ name }) => name),
      ...Object.keys(ERRORS),
      // Variables of Node, the command line, the tests and the Compose files.
      'NODE_ENV',
      'NODE_EXTRA_CA_CERTS',
      'GATEWAY_ENV_FILE',
      'CHROMIUM_PATH',
      'GATEWAY_HOST',
    ]);
    const missing = unknown(/(?<![\w-])[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+(?!\w)/g, ([name]) => known.has(name));
    // CONTRIBUTING names constants of the sources, the client's page variables of its user, the page of platforms their events.
    expect(missing.filter((fault) => !/^(?:CONTRIBUTING|libs\/client|docs\/platforms)/.test(fault))).toEqual([]);
  });

  it('names settings and events that exist', () => {
    const isSetting = (path: string) =>
      path.split('.').reduce<unknown>((holder, field) => Object(holder)[field] as unknown, settings) !== undefined;
    const groups = [...Object.keys(settings), ...EVENT_TYPES.map((type) => type.split('.')[0]!)].join('|');
    const isKnown = ([name]: RegExpExecArray) =>
      name.endsWith('.ts') || name in EVENTS || name in FINDINGS || isSetting(name);
    const missing = unknown(new RegExp(`(?<=^\\W*)(?:${groups})\\.[a-z_.0-9-]*[a-z0-9]`, 'gm'), isKnown);
    // Methods of the client.
    expect(missing.filter((fault) => !fault.startsWith('libs/client'))).toEqual([]);
  });

  it.each([
    ['troubleshooting', 'Step', STEPS],
    ['monitoring', 'Kind', PROBLEM_KINDS],
    ['handover', '`reason`', HANDOVER_REASONS],
    ['media', 'Status', ATTACHMENT_STATUSES.filter((status) => status !== 'pending')],
    ['tools', '`status`', TOOL_CALL_STATUSES],
  ])('lists each word of the table of docs/%s.md under %s', (page, head, words) => {
    const listed = tableIn(`docs/${page}.md`, head).map(([word]) => word!.replaceAll('`', ''));
    expect([...new Set(listed)].sort()).toEqual([...words].sort());
  });

  it('lists each operation with its scope in docs/scopes.md', () => {
    expect(tableIn('docs/scopes.md', 'Operation')).toEqual(scopeRows(document));
  });

  it('lists each event with its fields and scope in docs/events.md', () => {
    expect(tableIn('docs/events.md', 'Type')).toEqual(eventRows());
  });

  it('lists the bounds of each field in docs/limits.md', () => {
    expect(tableIn('docs/limits.md', 'Field or parameter')).toEqual(fieldRows(document));
  });
});
