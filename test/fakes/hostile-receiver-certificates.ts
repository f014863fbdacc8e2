import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

export interface Certificate {
  key: string;
  cert: string;
}

export interface Certificates {
  /** The CA that signed `good`, `expired` and `elsewhere`. */
  authority: string;
  /** For 127.0.0.1. */
  good: Certificate;
  /** For 127.0.0.1, expired yesterday. */
  expired: Certificate;
  /** For `elsewhere.test`. */
  elsewhere: Certificate;
  /** For 127.0.0.1, self-signed. */
  selfSigned: Certificate;
}

/** Makes certificates of a throw-away CA with `openssl`. */
export async function makeCertificates(): Promise<Certificates> {
  const directory = await mkdtemp(join(tmpdir(), 'certificates-'));
  const at = (name: string) => join(directory, name);
  const read = async (name: string): Promise<Certificate> => ({
    key: await readFile(at(`${name}.key`), 'utf8'),
    cert: await readFile(at(`${name}.crt`), 'utf8'),
  });
  const self = (name: string, extension: string) => {
    const files = ['-keyout', at(`${name}.key`), '-out', at(`${name}.crt`)];
    return run('openssl', [
      'req',
      '-x509',
      ...KEY,
      ...files,
      '-subj',
      `/CN=${name}`,
      '-days',
      '2',
      '-addext',
      extension,
    ]);
  };
  const issue = async (name: string, alternative: string, days: number) => {
    await writeFile(at(`${name}.ext`), `subjectAltName=${alternative}`);
    await run('openssl', [
      'req',
      ...KEY,
      '-keyout',
      at(`${name}.key`),
      '-out',
      at(`${name}.csr`),
      '-subj',
      `/CN=${name}`,
    ]);
    const authority = ['-CA', at('authority.crt'), '-CAkey', at('authority.key'), '-set_serial', String(name.length)];
    const files = ['-in', at(`${name}.csr`), '-extfile', at(`${name}.ext`), '-out', at(`${name}.crt`)];
    await run('openssl', ['x509', '-req', ...files, ...authority, '-days', String(days)]);
    return read(name);
  };
  try {
    await self('authority', 'keyUsage=critical,keyCertSign');
    await self('self-signed', 'subjectAltName=IP:127.0.0.1');
    const [good, expired, elsewhere] = await Promise.all([
      issue('good', 'IP:127.0.0.1', 2),
      issue('expired', 'IP:127.0.0.1', -1),
      issue('elsewhere', 'DNS:elsewhere.test', 2),
    ]);
    const { cert: authority } = await read('authority');
    return { authority, good, expired, elsewhere, selfSigned: await read('self-signed') };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
