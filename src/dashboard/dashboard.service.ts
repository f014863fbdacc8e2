import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import { Injectable } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { PageBuild } from './page-build.service';
import { NONCE_PLACE, PAGE_DIRECTORY, PAGE_INDEX } from './page-files';
import { pageNotice } from './page-notice';

const ROOT = '/dashboard';
/** The names of the files have the hash of their content. */
const ASSETS_MAX_AGE_MS = 365 * 24 * 3_600_000;

const NONCE_BYTES = 18;

/**
 * Scripts and styles only from the page's own files, and requests only to the gateway itself. The component library sets
 * its variables by a `<style>` element, which the nonce permits.
 */
const contentPolicy = (nonce: string) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

/** Serves the page: its files, and its document under every address of the page. It knows nothing else of the gateway. */
@Injectable()
export class Dashboard {
  constructor(private readonly build: PageBuild) {}

  async install(fastify: FastifyInstance): Promise<void> {
    await fastify.register(fastifyStatic, {
      root: join(PAGE_DIRECTORY, 'assets'),
      prefix: `${ROOT}/assets/`,
      decorateReply: false,
      index: false,
      immutable: true,
      maxAge: ASSETS_MAX_AGE_MS,
      preCompressed: true,
      // A first start builds it later.
      suppressWarning: true,
    });
    fastify.get('/', (_request, reply) => reply.redirect(ROOT));
    const document = (_request: FastifyRequest, reply: FastifyReply) => this.document(reply);
    fastify.get(ROOT, document);
    fastify.get(`${ROOT}/*`, document);
  }

  private async document(reply: FastifyReply): Promise<string> {
    const nonce = randomBytes(NONCE_BYTES).toString('base64');
    reply
      .type('text/html; charset=utf-8')
      .header('cache-control', 'no-store')
      .header('content-security-policy', contentPolicy(nonce));
    const text = await readFile(PAGE_INDEX, 'utf8').catch(() => pageNotice(this.build.state));
    return text.replace(NONCE_PLACE, nonce);
  }
}
