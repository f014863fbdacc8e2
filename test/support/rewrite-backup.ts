import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { createZstdCompress, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { extract, pack } from 'tar-stream';
import type { BackupManifest } from '../../src/operations/backups/archive/manifest';
import { COMPRESSION } from '../../src/operations/backups/archive/frame';

/** Version 1.0.0 ended its files with a skippable zstd frame: the SHA-256 of everything before it. */
const SEAL_HEAD = Buffer.from([0x5e, 0x2a, 0x4d, 0x18, 32, 0, 0, 0]);

/** Table name → its rows as COPY writes them. */
export type Tables = Map<string, string>;

/**
 * Rewrites a backup like an attacker who has the file but not the pepper: the checksums are recomputed, the HMAC stays.
 * @param asOlder in the format of version 1.0.0, which had no HMAC
 */
export async function rewriteBackup(
  path: string,
  change: (tables: Tables, manifest: BackupManifest) => void,
  asOlder = false,
): Promise<void> {
  const tables: Tables = new Map();
  let manifest: BackupManifest | undefined;
  const entries = extract();
  entries.end(zstdDecompressSync(await readFile(path)));
  for await (const entry of entries) {
    const text = (await buffer(entry as AsyncIterable<Buffer>)).toString();
    const { name } = entry.header;
    const [, table] = /^tables\/(\w+)\//.exec(name) ?? [];
    if (table) tables.set(table, (tables.get(table) ?? '') + text);
    else if (name === 'manifest.json') manifest = JSON.parse(text) as BackupManifest;
  }
  change(tables, manifest!);
  const { rows: _rows, media: _media, hmac: _hmac, ...header } = manifest!;
  const format = asOlder ? 1 : manifest!.format;
  const archive = pack();
  const columns = header.tables.map(({ name, columns: names }) => ({ name, columns: names }));
  archive.entry({ name: 'header.json' }, JSON.stringify({ ...header, format, tables: columns }));
  const written = header.tables.map((table) => {
    const text = Buffer.from(tables.get(table.name) ?? '');
    if (text.length > 0) archive.entry({ name: `tables/${table.name}/000000.copy` }, text);
    const rows = text.reduce((sum, byte) => sum + Number(byte === 0x0a), 0);
    return { ...table, rows, bytes: text.length, sha256: createHash('sha256').update(text).digest('hex') };
  });
  archive.entry(
    { name: 'manifest.json' },
    JSON.stringify({ ...manifest!, format, tables: written, ...(asOlder && { hmac: undefined }) }),
  );
  archive.finalize();
  const content = await buffer(archive as AsyncIterable<Buffer>);
  // Compressed as a stream, like a real backup: the frame's header then has no content size.
  await writeFile(
    path,
    asOlder ? sealed(content) : await buffer(Readable.from([content]).pipe(createZstdCompress(COMPRESSION))),
  );
}

function sealed(content: Buffer): Buffer {
  const stream = zstdCompressSync(content);
  return Buffer.concat([stream, SEAL_HEAD, createHash('sha256').update(stream).digest()]);
}
