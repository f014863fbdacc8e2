import { createCipheriv, createDecipheriv, createSecretKey, randomBytes, type KeyObject } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DeploymentSecrets } from './deployment-secrets';

const CIPHER = 'aes-256-gcm';
/** NIST SP 800-38D: 96 bits, never used twice under one key. */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Encrypts secrets at rest: nonce, tag, ciphertext. Each is bound to its row, and cannot be decrypted in another. */
@Injectable()
export class SecretBox {
  /** Prepared once: with a Buffer as the key, Node 24 takes twice as long for each secret. */
  private readonly key: KeyObject;

  constructor({ secretsKey }: DeploymentSecrets) {
    this.key = createSecretKey(secretsKey);
  }

  seal(secret: string, rowId: string): Buffer {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.key, nonce).setAAD(Buffer.from(rowId));
    const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), text]);
  }

  /** @throws when the row was tampered with, or sealed under another key */
  open(sealed: Buffer, rowId: string): string {
    const nonce = sealed.subarray(0, NONCE_BYTES);
    const tag = sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
    const decipher = createDecipheriv(CIPHER, this.key, nonce, { authTagLength: TAG_BYTES })
      .setAAD(Buffer.from(rowId))
      .setAuthTag(tag);
    return decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
  }

  /** @returns undefined where `open` throws */
  openIfReadable(sealed: Buffer, rowId: string): string | undefined {
    try {
      return this.open(sealed, rowId);
    } catch {
      return undefined;
    }
  }
}
