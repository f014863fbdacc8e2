import { readFileSync } from 'node:fs';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { ConfigurationError } from './configuration';

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** The pieces of a value. A quoted piece may span several lines; a bare piece ends with its line. */
const SINGLE_QUOTED = /'([^']*)'?/y;
const DOUBLE_QUOTED = /"((?:[^"\\]|\\[^])*)"?/y;
const BARE = /((?:[^\n\\]|\\[^])*)\\?/y;

/**
 * Adds the variables of a file to this process's environment, as a systemd unit does for a service. A variable that is
 * already set keeps its value, so that a command can override single variables.
 * @param file of `--env-file`; default: GATEWAY_ENV_FILE; without both, no file is read
 * @throws ConfigurationError when it cannot be read
 */
export function loadEnvironment(file: string | undefined, env: NodeJS.ProcessEnv): void {
  const path = file ?? (env['GATEWAY_ENV_FILE']?.trim() || undefined);
  if (path === undefined) return;
  const variables = parseEnvironmentFile(textOf(path, file === undefined ? 'GATEWAY_ENV_FILE' : '--env-file'));
  const hadAuthorities = Boolean(env['NODE_EXTRA_CA_CERTS']);
  for (const [name, value] of Object.entries(variables)) env[name] ??= value;
  const authorities = env['NODE_EXTRA_CA_CERTS'];
  // Node read this variable at its start, before this file.
  if (authorities && !hadAuthorities)
    setDefaultCACertificates([...getCACertificates('default'), textOf(authorities, 'NODE_EXTRA_CA_CERTS')]);
}

function textOf(path: string, source: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new ConfigurationError([
      `${source}: ${path} cannot be read (${code}); accepted: the path of a readable file`,
    ]);
  }
}

/**
 * Reads a file of variables as systemd reads an `EnvironmentFile=`, so that a command gets what the service gets. Comments
 * begin with `#` or `;`. A line without a valid name is ignored. Nothing is expanded.
 * @see https://www.freedesktop.org/software/systemd/man/latest/systemd.exec.html#EnvironmentFile=
 */
export function parseEnvironmentFile(text: string): Record<string, string> {
  const variables: Record<string, string> = {};
  let at = 0;
  while (at < text.length) {
    const line = text.slice(at, `${text}\n`.indexOf('\n', at));
    const equals = line.indexOf('=');
    const name = line.slice(0, equals).trim();
    if (/^\s*[#;]/.test(line) || equals === -1) {
      at += line.length + 1;
    } else {
      const { value, end } = readValue(text, at + equals + 1);
      if (NAME.test(name)) variables[name] = value;
      at = end + 1;
    }
  }
  return variables;
}

/** @returns the value, and where its last line ends */
function readValue(text: string, start: number): { value: string; end: number } {
  let value = '';
  let at = start;
  const take = (piece: RegExp): string => {
    piece.lastIndex = at;
    const [whole, content = ''] = piece.exec(text)!;
    at += whole.length;
    return content;
  };
  for (;;) {
    take(/[^\S\n]*/y);
    if (at >= text.length || text[at] === '\n') return { value, end: at };
    if (text[at] === "'") value += take(SINGLE_QUOTED);
    else if (text[at] === '"') value += take(DOUBLE_QUOTED).replaceAll(/\\([^])/g, unescapeQuoted);
    else return { value: value + unescapeBare(take(BARE)), end: at };
  }
}

/** A backslash before a line break removes both; before other characters it stays. */
function unescapeQuoted(pair: string, escaped: string): string {
  if (escaped === '\n') return '';
  return '"\\`$'.includes(escaped) ? escaped : pair;
}

/** Spaces at the end count only after a backslash. */
function unescapeBare(text: string): string {
  const pieces = text.match(/\\[^]|\s+|[^\\\s]+/g) ?? [];
  if (pieces.at(-1)?.trim() === '') pieces.pop();
  return pieces.map((piece) => (piece === '\\\n' ? '' : piece.replace(/^\\/, ''))).join('');
}
