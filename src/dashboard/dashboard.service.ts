import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Configuration } from '../core/config/configuration';
import { StaticFiles } from '../core/http/static-files';
import { PageBuild } from './page-build.service';
import { NONCE_PLACE, PAGE_DIRECTORY, PAGE_INDEX, PUBLIC_URL_PLACE } from './page-files';
import { pageNotice } from './page-notice';

const ROOT = '/dashboard';
/** For assets, whose names contain the hash of their content. */
const ASSETS_CACHING = 'public, max-age=31536000, immutable';

const NONCE_BYTES = 18;

/**
 * Allows scripts and styles only from the page's own files, and requests only to the gateway. The component library sets its
 * variables by a `<style>` element, which the nonce permits.
 */
const contentPolicy = (nonce: string) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    // The page fetches files of messages with its key, and shows those kinds that cannot run scripts.
    "img-src 'self' data: blob:",
    'media-src blob:',
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

interface Page {
  document: string;
  assets: StaticFiles;
}

/**
 * Serves the page: its assets, and its document under every address of the page. Both are kept in memory once they are
 * built. It knows nothing else of the gateway but PUBLIC_URL, for addresses that the page shows.
 */
@Injectable()
export class Dashboard {
  private page: Promise<Page | undefined> = Promise.resolve(undefined);
  private readonly publicUrl: string;

  constructor(
    private readonly build: PageBuild,
    { http }: Configuration,
  ) {
    this.publicUrl = (http.publicUrl ?? '').replaceAll('&', '&amp;').replaceAll('"', '&quot;');
  }

  async install(fastify: FastifyInstance): Promise<void> {
    fastify.get('/', (_request, reply) => reply.redirect(ROOT));
    fastify.get<{ Params: { '*': string } }>(`${ROOT}/assets/*`, (request, reply) => this.asset(request, reply));
    const document = (_request: FastifyRequest, reply: FastifyReply) => this.document(reply);
    fastify.get(ROOT, document);
    fastify.get(`${ROOT}/*`, document);
    this.build.onBuilt = () => {
      this.page = this.newest();
    };
    this.page = readPage();
    await this.page;
  }

  private async asset(request: FastifyRequest<{ Params: { '*': string } }>, reply: FastifyReply): Promise<unknown> {
    const page = await this.page;
    const file = page?.assets.answer(request.params['*'], request, reply);
    if (!file) return reply.callNotFound();
    reply.header('cache-control', ASSETS_CACHING);
    return file;
  }

  private async document(reply: FastifyReply): Promise<string> {
    // A page that was built by hand after the start is found by the next request.
    if (!(await this.page)) this.page = readPage();
    const page = await this.page;
    const nonce = randomBytes(NONCE_BYTES).toString('base64');
    reply
      .type('text/html; charset=utf-8')
      .header('cache-control', 'no-store')
      .header('content-security-policy', contentPolicy(nonce));
    const text = page?.document ?? pageNotice(this.build.state);
    return text.replace(NONCE_PLACE, nonce).replace(PUBLIC_URL_PLACE, () => this.publicUrl);
  }

  /** An upgrade may have removed the program's folder: then the present page stays. */
  private async newest(): Promise<Page | undefined> {
    const kept = this.page;
    return (await readPage()) ?? (await kept);
  }
}

/** @returns undefined if no page is built */
async function readPage(): Promise<Page | undefined> {
  try {
    const document = await readFile(PAGE_INDEX, 'utf8');
    return { document, assets: await StaticFiles.read(join(PAGE_DIRECTORY, 'assets')) };
  } catch {
    return undefined;
  }
}
