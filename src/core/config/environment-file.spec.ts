import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnvironmentFile } from './environment-file';

/** systemd's own parser of this syntax. */
const SYSTEMD = '/usr/lib/systemd/user-environment-generators/30-systemd-environment-d-generator';

const FILE = String.raw`# A comment, and an empty line

; another comment = also
NODE_ENV=production
  PORT = 3001
EMPTY=
SPACED=  two words	
SINGLE='it is "quoted" \n'
DOUBLE="a \"b\" \\ \n $ '"
JOINED="one" 'two'three
CONTINUED=one\
two
LONG="one\
two
three"
ESCAPED=a\ b\'c\\d\ 
HASH=a#b ; c
URL=postgres://gateway:p=w@db/gateway?sslmode=require
no assignment
export EXPORTED=1
2ND=no
NODE_ENV_AGAIN=yes
LAST='without an end`;

const EXPECTED: Readonly<Record<string, string>> = {
  NODE_ENV: 'production',
  PORT: '3001',
  EMPTY: '',
  SPACED: 'two words',
  SINGLE: String.raw`it is "quoted" \n`,
  DOUBLE: String.raw`a "b" \ \n $ '`,
  JOINED: 'onetwothree',
  CONTINUED: 'onetwo',
  LONG: 'onetwo\nthree',
  ESCAPED: String.raw`a b'c\d `,
  HASH: 'a#b ; c',
  URL: 'postgres://gateway:p=w@db/gateway?sslmode=require',
  NODE_ENV_AGAIN: 'yes',
  LAST: 'without an end',
};

describe(parseEnvironmentFile.name, () => {
  it('parses names, quotes, escapes, continued lines and comments', () => {
    expect(parseEnvironmentFile(FILE)).toEqual(EXPECTED);
  });

  it('parses a file without variables, and one with CRLF line ends', () => {
    expect(parseEnvironmentFile('')).toEqual({});
    expect(parseEnvironmentFile('A=1\r\nB="2"\r\n')).toEqual({ A: '1', B: '2' });
  });

  it('parses like the installed systemd', () => {
    if (!existsSync(SYSTEMD)) {
      process.stderr.write(`SKIPPED: no ${SYSTEMD}; install systemd\n`);
      return;
    }
    const home = mkdtempSync(join(tmpdir(), 'environment-'));
    try {
      mkdirSync(join(home, 'environment.d'));
      // The generator expands `$`, which a unit's file does not, and shows values as a shell would quote them.
      writeFileSync(join(home, 'environment.d/a.conf'), FILE.replace('$', ''));
      const { stdout } = spawnSync(SYSTEMD, { env: { XDG_CONFIG_HOME: home }, encoding: 'utf8' });
      // The generator shows a line break within a value as `\\n`.
      const names = Object.keys(EXPECTED).filter((name) => name !== 'LONG');
      const script = `${stdout}\nfor name in ${names.join(' ')}; do printf '%s=%s\\0' "$name" "\${!name}"; done`;
      const shown = spawnSync('bash', ['-c', script], { env: {}, encoding: 'utf8' }).stdout.split('\0');
      expect(shown).toEqual([...names.map((name) => `${name}=${EXPECTED[name]!.replace('$', '')}`), '']);
    } finally {
      rmSync(home, { recursive: true });
    }
  });
});
