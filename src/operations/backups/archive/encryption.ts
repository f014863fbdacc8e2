import { readFile } from 'node:fs/promises';
import { Duplex, Readable } from 'node:stream';
import { bech32 } from '@scure/base';
import { BackupFault } from './backup-fault';

/** A key file holds these 32 bytes, as 64 hexadecimal digits. */
const KEY = /^[0-9a-f]{64}$/i;

/** Files use the format https://age-encryption.org/v1: the `age` command reads them with the identity of the key. */
export const AGE_MAGIC = 'age-encryption.org/v1';

/** The start of the library's message if no key fits; the error has no code. */
export const NO_MATCHING_KEY = 'no identity matched';

/** @returns the key of the file as an age identity, `AGE-SECRET-KEY-1…` @throws BackupFault if the file holds no key */
export async function readIdentity(keyFile: string): Promise<string> {
  const text = await readFile(keyFile, 'utf8').catch((error: unknown) => {
    const { code } = error as NodeJS.ErrnoException;
    throw new BackupFault(`BACKUP_KEY_FILE: ${keyFile} cannot be read (${code})`, { cause: error });
  });
  if (!KEY.test(text.trim()))
    throw new BackupFault(`BACKUP_KEY_FILE: ${keyFile} must hold 32 bytes as 64 hexadecimal digits`);
  return bech32.encodeFromBytes('age-secret-key-', Buffer.from(text.trim(), 'hex')).toUpperCase();
}

/** Loads the library, which takes 20 MB. A process can call it early, before an upgrade removes the library's files. */
export const loadAge = () => import('age-encryption');

/** Encrypts the bytes that are written to it. */
export function encryption(identity: string): Duplex {
  return duplex(async (source) => {
    const { Encrypter, identityToRecipient } = await loadAge();
    const encrypter = new Encrypter();
    encrypter.addRecipient(await identityToRecipient(identity));
    return encrypter.encrypt(source);
  });
}

/** Decrypts the bytes that are written to it. The stream fails if the key is wrong or a byte differs. */
export function decryption(identity: string): Duplex {
  return duplex(async (source) => {
    const { Decrypter } = await loadAge();
    const decrypter = new Decrypter();
    decrypter.addIdentity(identity);
    return decrypter.decrypt(source);
  });
}

type Web = globalThis.ReadableStream<Uint8Array>;

function duplex(transform: (source: Web) => Promise<Web>): Duplex {
  return Duplex.from(async function* (source: AsyncIterable<Uint8Array>) {
    const web = Readable.toWeb(Readable.from(source, { objectMode: false }));
    yield* Readable.fromWeb(await transform(web));
  });
}
