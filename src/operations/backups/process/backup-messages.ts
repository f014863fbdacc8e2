import type { MediaPlace } from '../../../media/storage/open-storage';
import type { WrittenBackup } from '../archive/backup-writer';

/** Source and target of a backup. */
export interface BackupTask {
  /** `bak_…` */
  id: string;
  /** ISO 8601. */
  createdAt: string;
  /** Path of the finished file. */
  path: string;
  /** The key of the backup's HMAC, in hex. */
  key: string;
  /** The age key, `AGE-SECRET-KEY-1…`; undefined if the backup is not encrypted. */
  identity?: string;
  /** Where the files of messages are; undefined if the backup leaves them out. */
  media?: MediaPlace;
}

/** Messages from the gateway to the process that makes a backup. */
export type BackupRequest =
  /** Connect to the database, and take the backup lock if it is free. */
  { ask: 'begin'; url: string } | { ask: 'write'; task: BackupTask } | { ask: 'stop'; reason: string };

/** Messages from that process to the gateway. */
export type BackupAnswer =
  | { answer: 'begun'; locked: boolean }
  /** How much of the database is copied, from 0 to 1. */
  | { answer: 'progress'; share: number }
  | { answer: 'written'; backup: WrittenBackup }
  | { answer: 'failed'; message: string; code?: string; isFault: boolean };
