import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DoctorCheck } from '#contracts';
import { NotCheckable } from '#contracts';
import { SmtpFake } from '../../../test/fakes/smtp.fake';
import { loadConfiguration } from '../../core/config/load-configuration';
import { secretValues } from '../../core/config/secret-values';
import { tolerantConfiguration } from '../../core/config/tolerant-configuration';
import { DoctorDatabase } from '../../core/doctor/doctor-database';
import { ConfigurationCheck } from './configuration.check';
import { DiskCheck } from './disk.check';
import { FilesCheck } from './files.check';
import { MailCheck } from './mail.check';
import { ProxyCheck } from './proxy.check';
import { TlsCheck } from './tls.check';

/** The findings as lines of text. */
async function linesOf(check: DoctorCheck): Promise<string[]> {
  const found = await check.check(AbortSignal.timeout(20_000));
  return found.map(({ name, message }) => `${name}: ${message}`);
}

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'doctor-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

describe(ConfigurationCheck.name, () => {
  const check = (env: NodeJS.ProcessEnv) => {
    return linesOf(new ConfigurationCheck(env, tolerantConfiguration(env).faults));
  };

  it('counts the variables that are set', async () => {
    expect(await check({ PORT: '8080', HOST: '::1', HOME: '/root' })).toEqual([
      'configuration: variables that are set: 2, all valid',
    ]);
  });

  it('reports every invalid and every unknown variable', async () => {
    const env = {
      PORT: '70000',
      TLS_CERT_FILE: '/nowhere/cert.pem',
      TELEGRAM_TOKEN: '4242:abc',
    };
    expect(await check(env)).toEqual([
      'configuration.invalid: PORT: "70000" is not valid; accepted: a whole number from 0 to 65535',
      'configuration.invalid: TLS_KEY_FILE: not set; accepted: all of TLS_CERT_FILE, TLS_KEY_FILE together, or none of them',
      'configuration.unknown: TELEGRAM_TOKEN is not a variable of the gateway',
    ]);
  });

  it('reports an unreadable certificate once', async () => {
    const key = join(directory, 'key.pem');
    writeFileSync(key, '');
    expect(await check({ TLS_CERT_FILE: '/nowhere/cert.pem', TLS_KEY_FILE: key })).toEqual([
      expect.stringMatching(/^configuration\.invalid: .*TLS_CERT_FILE/),
    ]);
  });

  it('reads the valid variables even if others are invalid', () => {
    const { configuration, invalid } = tolerantConfiguration({ PORT: 'x', HOST: '::1', TLS_CERT_FILE: '/a' });
    expect(configuration.http).toMatchObject({ port: 3000, host: '::1', tls: undefined });
    expect([...invalid]).toEqual(['PORT', 'TLS_CERT_FILE', 'TLS_KEY_FILE']);
  });
});

describe(secretValues.name, () => {
  it('returns secrets, and the passwords in URLs', () => {
    const env = { TELEGRAM_BOT_TOKEN: '1:a', DATABASE_URL: 'postgres://u:p%40ss@h/d', PORT: '1' };
    expect(secretValues(env)).toEqual(['postgres://u:p%40ss@h/d', 'p%40ss', 'p@ss', '1:a']);
  });
});

describe(DiskCheck.name, () => {
  const GIB = 1024 ** 3;
  const check = (free: number, env: NodeJS.ProcessEnv = {}) =>
    linesOf(new DiskCheck(loadConfiguration({ DATA_DIR: directory, ...env }), () => Promise.resolve(free)));

  it('reports how much space is free', async () => {
    expect(await check(5.26 * GIB)).toEqual(['disk: DATA_DIR and BACKUP_DIR are writable, 5.3 GiB free']);
    const real = new DiskCheck(loadConfiguration({ DATA_DIR: directory }));
    expect(await linesOf(real)).toEqual([expect.stringMatching(/^disk[:.]/)]);
  });

  it('reports that little space is free, and that nearly none is', async () => {
    expect(await check(GIB / 2)).toEqual([
      `disk.low: DATA_DIR: 512 MiB are free at ${directory}`,
      `disk.low: BACKUP_DIR: 512 MiB are free at ${directory}`,
    ]);
    expect(await check(GIB / 16)).toContain(`disk.full: DATA_DIR: 64 MiB are free at ${directory}`);
  });

  it('reports a folder that cannot be created or written to', async () => {
    // Not even root can create a folder there.
    const lines = await check(GIB * 2, { BACKUP_DIR: '/proc/self/backups' });
    expect(lines).toEqual([
      expect.stringMatching(
        /^disk\.not-writable: BACKUP_DIR: \/proc\/self\/backups cannot be made: \/proc\/self is not/,
      ),
    ]);
    expect(await check(GIB * 2, { BACKUP_DIR: '/proc/self' })).toEqual([
      expect.stringMatching(/^disk\.not-writable: BACKUP_DIR: \/proc\/self is not writable \(E\w+\)$/),
    ]);
  });
});

describe(FilesCheck.name, () => {
  const check = (env: NodeJS.ProcessEnv = {}) => {
    const { dataDir, backups, http } = loadConfiguration({ DATA_DIR: directory, ...env });
    return linesOf(new FilesCheck({ dataDir, backups, http }));
  };
  const write = (name: string, mode: number): string => {
    const path = join(directory, name);
    writeFileSync(path, 'x');
    chmodSync(path, mode);
    return path;
  };

  it('accepts files that only their owner can read, and files that do not exist', async () => {
    write('pepper', 0o600);
    write('first-keys', 0o600);
    expect(await check({ BACKUP_KEY_FILE: write('key', 0o640) })).toEqual([
      'files: secrets and data are closed to other users',
    ]);
  });

  it('reports secrets that others can read', async () => {
    const [pepper, password, key] = [write('pepper', 0o640), write('postgres-password', 0o604), write('key', 0o644)];
    expect(await check({ BACKUP_KEY_FILE: key })).toEqual([
      `files.open: ${pepper} has mode 0640`,
      `files.open: ${password} has mode 0604`,
      `files.open: ${key} has mode 0644`,
    ]);
  });

  it('reports folders that others can write to', async () => {
    const backups = join(directory, 'backups');
    mkdirSync(backups);
    chmodSync(backups, 0o777);
    chmodSync(directory, 0o770);
    expect(await check()).toEqual([`files.open: ${directory} has mode 0770`, `files.open: ${backups} has mode 0777`]);
  });

  it('reports a file of first keys that was left for more than a day', async () => {
    const path = write('first-keys', 0o600);
    const yesterday = new Date(Date.now() - 25 * 3_600_000);
    utimesSync(path, yesterday, yesterday);
    expect(await check()).toEqual([`files.first-keys: ${path} is still there`]);
  });
});

describe(TlsCheck.name, () => {
  const certificate = (days: number): string => {
    const path = join(directory, `${days}.pem`);
    const args = [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:prime256v1',
      '-nodes',
      '-days',
      `${days}`,
    ];
    execFileSync('openssl', [...args, '-subj', '/CN=gateway', '-keyout', join(directory, 'key.pem'), '-out', path], {
      stdio: 'ignore',
    });
    return path;
  };

  it('reports until when the certificate is valid', async () => {
    expect(await linesOf(new TlsCheck(certificate(90)))).toEqual([
      expect.stringMatching(/^tls: the certificate is valid until 20\d\d-\d\d-\d\d$/),
    ]);
    expect(await linesOf(new TlsCheck(undefined))).toEqual(['tls: not configured: TLS_CERT_FILE is not set']);
  });

  it('reports a certificate that expires soon, has expired, or is not valid yet', async () => {
    const soon = certificate(5);
    expect(await linesOf(new TlsCheck(soon))).toEqual([
      expect.stringMatching(/^tls\.expiring: .*5\.pem is valid until 20\d\d-\d\d-\d\d$/),
    ]);
    const atThatTime = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 6 * 86_400_000);
    expect(await linesOf(new TlsCheck(soon))).toEqual([expect.stringMatching(/^tls\.expired: .* was valid until /)]);
    atThatTime.mockReturnValue(0);
    expect(await linesOf(new TlsCheck(soon))).toEqual([
      expect.stringMatching(/^tls\.expired: .* is valid from .* on$/),
    ]);
    atThatTime.mockRestore();
  });
});

describe(ProxyCheck.name, () => {
  const check = (env: NodeJS.ProcessEnv) => linesOf(new ProxyCheck(loadConfiguration(env).http));

  it.each([
    [{}, 'proxy: requests come only from this machine'],
    [
      { NODE_ENV: 'production', HOST: '0.0.0.0', TRUST_PROXY: '10.0.0.0/8' },
      'proxy: requests come through proxies at 10.0.0.0/8',
    ],
    [{ REQUIRE_HTTPS: 'true' }, 'proxy.every-request-refused: REQUIRE_HTTPS is true, and no request can prove HTTPS'],
    [{ TRUST_PROXY: '10.0.0.1,0.0.0.0/0,::/0' }, 'proxy.trusts-any-address: TRUST_PROXY has 0.0.0.0/0, ::/0'],
    [{ HOST: '0.0.0.0' }, 'proxy.plain-http: HOST is 0.0.0.0, and REQUIRE_HTTPS is false'],
  ])('%j: %s', async (env, line) => {
    expect(await check(env)).toEqual([line]);
  });
});

describe(MailCheck.name, () => {
  const smtp = new SmtpFake();
  beforeAll(() => smtp.start());
  afterAll(() => smtp.stop());

  const away = new DoctorDatabase(() => Promise.reject(new NotCheckable('away')));
  const check = (env: NodeJS.ProcessEnv) => linesOf(new MailCheck(loadConfiguration(env), away));
  const urlWith = (password: string) => smtp.url.replace('//', `//gateway:${encodeURIComponent(password)}@`);

  it('greets the server and logs in, with and without a password', async () => {
    expect(await check({})).toEqual(['mail: not configured: mail to the owner is logged and kept']);
    const taken = [expect.stringMatching(/^mail: 127\.0\.0\.1:\d+ takes mail$/)];
    expect(await check({ SMTP_URL: smtp.url })).toEqual(taken);
    expect(await check({ SMTP_URL: urlWith(smtp.login.password) })).toEqual(taken);
    expect(smtp.mails).toEqual([]);
  });

  it('reports a wrong password, without showing it', async () => {
    const [line] = await check({ SMTP_URL: urlWith('hunter2') });
    expect(line).toMatch(/^mail\.unreachable: 127\.0\.0\.1:\d+: Invalid login: 535 /);
    expect(line).not.toContain('hunter2');
  });

  it('reports a server that does not respond', async () => {
    expect(await check({ SMTP_URL: 'smtp://127.0.0.1:9' })).toEqual([
      'mail.unreachable: 127.0.0.1:9: connect ECONNREFUSED 127.0.0.1:9',
    ]);
  });
});
