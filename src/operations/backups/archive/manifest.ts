import type { StoredFile } from '../../../media/storage/stored-files.rows';

/** The version of the file's layout. */
export const FORMAT = 3;

/** The layout before backups held the files of messages. */
const FORMAT_WITHOUT_FILES = 2;

/** The layout of version 1.0.0: its manifest has no HMAC. */
export const UNAUTHENTICATED_FORMAT = 1;

/** The layouts that this version reads. */
export const READABLE_FORMATS: readonly number[] = [UNAUTHENTICATED_FORMAT, FORMAT_WITHOUT_FILES, FORMAT];

/** The first entry of a backup: id, time, schema and tables. */
export interface BackupHeader {
  format: number;
  /** `bak_…` */
  id: string;
  /** When the snapshot was taken, as ISO 8601. */
  created_at: string;
  /** The migrations that the schema had, in order. */
  schema: readonly string[];
  /** SHA-256 fingerprints of the secrets, by their name; the backup never holds the secrets. */
  fingerprints: Readonly<Record<string, string>>;
  /** In the order of a restore: a table follows the tables that it refers to. */
  tables: readonly TableColumns[];
}

export interface TableColumns {
  name: string;
  columns: string[];
}

export interface TableManifest extends TableColumns {
  rows: number;
  /** The columns that the rows are sorted by; undefined if they are in stored order. */
  order?: readonly string[];
  /** Size of the table's text in bytes. */
  bytes: number;
  /** SHA-256 of the table's text as `COPY` writes it, in lower-case hex. */
  sha256: string;
}

/** The files of messages in a backup. The name of each is the SHA-256 of its bytes. */
export interface MediaManifest {
  files: number;
  bytes: number;
  /** SHA-256 of the names of their entries, each with a line feed, in lower-case hex. */
  sha256: string;
}

/** The last entry of a backup: without it the file is incomplete. */
export interface BackupManifest extends BackupHeader {
  tables: readonly TableManifest[];
  rows: number;
  /** The files of messages; null if the backup leaves them out. Files of older versions have no such field. */
  media?: MediaManifest | null;
  /** Covers all other fields, see authentication.ts. Files of older versions have none. */
  hmac?: string;
}

export const HEADER_ENTRY = 'header.json';
export const MANIFEST_ENTRY = 'manifest.json';

/** The size of a tar entry precedes its bytes, so an entry must fit into memory: a table is written as many entries. */
export const tableEntry = (table: string, index: number): string =>
  `tables/${table}/${String(index).padStart(6, '0')}.copy`;

/** The table of an entry; undefined if the entry is not part of a table. */
export function tableOfEntry(name: string): string | undefined {
  return /^tables\/(\w+)\/\d{6,}\.copy$/.exec(name)?.[1];
}

/** The entry of a message's file, named like the file below MEDIA_DIR. */
export const fileEntry = ({ environment, sha256 }: StoredFile): string =>
  `media/${environment}/${sha256.slice(0, 2)}/${sha256}`;

/** The file of an entry; undefined if the entry is not a file. */
export function fileOfEntry(name: string): StoredFile | undefined {
  const [, environment, sha256] = /^media\/(live|test)\/[0-9a-f]{2}\/([0-9a-f]{64})$/.exec(name) ?? [];
  const file = { environment, sha256 } as StoredFile;
  return sha256 !== undefined && fileEntry(file) === name ? file : undefined;
}

const FILE_NAME = /^gateway-(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ)-(bak_\w+)\.tar\.zst(\.age)?$/;

/** The parts of a backup's file name. */
export interface NamedBackup {
  id: string;
  /** ISO 8601, in whole seconds. */
  created_at: string;
  encrypted: boolean;
}

/** @returns undefined for any other name, such as a path or a partial file */
export function parseBackupFileName(name: string): NamedBackup | undefined {
  const [, time, id, suffix] = FILE_NAME.exec(name) ?? [];
  if (time === undefined || id === undefined) return undefined;
  const created_at = `${time.slice(0, 10)}${time.slice(10).replaceAll('-', ':')}`;
  return { id, created_at, encrypted: suffix !== undefined };
}

/** `gateway-2026-11-22T03-00-00Z-bak_….tar.zst`, with `.age` at the end if encrypted. */
export function backupFileName(id: string, createdAt: string, encrypted: boolean): string {
  return `gateway-${createdAt.slice(0, 19).replaceAll(':', '-')}Z-${id}.tar.zst${encrypted ? '.age' : ''}`;
}
