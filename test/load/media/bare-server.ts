import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Busboy, type BusboyHeaders } from '@fastify/busboy';
import fastify from 'fastify';
import { serveBare } from '../bare/serve-bare';

// Streams the file of a multipart body to disk, hashes it, and answers with its SHA-256.

const directory = process.env['FILES']!;
const app = fastify({ logger: false, bodyLimit: 1 << 30 });
app.addContentTypeParser('multipart/form-data', (_request, _payload, done) => done(null));
app.post('/api/v1/media', async ({ raw }) => {
  const written = Promise.withResolvers<string>();
  const parser = new Busboy({ headers: raw.headers as BusboyHeaders });
  parser.on('file', (_field, file) => {
    const hash = createHash('sha256');
    const hashing = new Transform({
      transform: (chunk: Buffer, _encoding, done) => {
        hash.update(chunk);
        done(null, chunk);
      },
    });
    pipeline(file, hashing, createWriteStream(join(directory, randomUUID()), { flush: true }))
      .then(() => written.resolve(hash.digest('hex')))
      .catch(written.reject);
  });
  parser.on('error', written.reject);
  raw.pipe(parser);
  return { data: { sha256: await written.promise } };
});
serveBare(app, () => mkdir(directory, { recursive: true }));
