import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { accepts } from './static-files';

interface Forms {
  plain: Buffer;
  gzipped: Buffer;
  etag: string;
}

/** An answer that is the same for everyone. It is compressed once, at its first request; clients keep it and ask whether it changed. */
export class CompressedAnswer {
  private forms?: Promise<Forms>;

  /** @param read is called once, at the first request */
  constructor(
    private readonly type: string,
    private readonly read: () => string | Buffer,
  ) {}

  async send({ headers }: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { plain, gzipped, etag } = await (this.forms ??= this.make());
    void reply.headers({ etag, 'cache-control': 'public, no-cache', vary: 'accept-encoding' });
    if (headers['if-none-match'] === etag) return reply.code(304).send();
    void reply.type(this.type);
    if (!accepts(headers['accept-encoding'], 'gzip')) return reply.send(plain);
    return reply.header('content-encoding', 'gzip').send(gzipped);
  }

  private async make(): Promise<Forms> {
    const plain = Buffer.from(this.read());
    const etag = `"${createHash('sha256').update(plain).digest('base64url')}"`;
    return { plain, gzipped: await promisify(gzip)(plain), etag };
  }
}
