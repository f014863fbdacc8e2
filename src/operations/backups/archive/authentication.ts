import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { BackupFault } from './backup-fault';
import { UNAUTHENTICATED_FORMAT, type BackupManifest } from './manifest';

/** The key that authenticates the backups of a deployment. */
export function authenticationKeyOf(pepper: Buffer): Buffer {
  return Buffer.from(hkdfSync('sha256', pepper, '', 'messaging-gateway backups', 32));
}

/** The HMAC of a manifest in lower-case hex. It covers every other field, and so the digest of each table. */
export function hmacOf({ hmac: _hmac, ...manifest }: BackupManifest, key: Buffer): string {
  return createHmac('sha256', key).update(JSON.stringify(manifest)).digest('hex');
}

/** Whether an older version, which did not authenticate backups, made the file. */
export function isUnauthenticated({ format }: BackupManifest): boolean {
  return format === UNAUTHENTICATED_FORMAT;
}

/** @throws BackupFault if another deployment made the backup, or the backup was changed */
export function assertAuthentic(manifest: BackupManifest, key: Buffer): void {
  if (isUnauthenticated(manifest)) {
    throw new BackupFault(
      'An older version made it without authentication, so any program that could write to it may have changed it. --allow-unauthenticated accepts it',
    );
  }
  const expected = Buffer.from(hmacOf(manifest, key), 'hex');
  const found = Buffer.from(String(manifest.hmac), 'hex');
  if (found.length !== expected.length || !timingSafeEqual(found, expected)) {
    throw new BackupFault(
      'Not authentic: the HMAC does not match. The backup was modified, or another deployment made it',
    );
  }
}
