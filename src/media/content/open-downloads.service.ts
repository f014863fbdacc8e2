import type { ServerResponse } from 'node:http';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Database } from '../../core/database/database.service';
import { CredentialsCheck } from '../../core/http/credentials-check.port';
import { endRefused, type OpenAnswer } from '../../core/http/open-answers';
import { Timers } from '../../core/work/timers/timers.service';
import { STORED } from '../attachment.rows';

const CHECK_MS = 1_000;

interface OpenDownload extends OpenAnswer {
  /** UUID of the attachment. */
  id: string;
}

/** The downloads of this process: each ends soon after its key or its file has ended. */
@Injectable()
export class OpenDownloads implements OnModuleInit {
  private readonly open = new Set<OpenDownload>();

  constructor(
    private readonly database: Database,
    private readonly credentials: CredentialsCheck,
    private readonly timers: Timers,
  ) {}

  onModuleInit(): void {
    this.timers.every('Download check', CHECK_MS, () => this.check(), { scope: 'process' });
  }

  add(request: FastifyRequest, raw: ServerResponse, id: string): void {
    const download = { request, id, end: () => raw.destroy() };
    this.open.add(download);
    raw.once('close', () => this.open.delete(download));
  }

  private async check(): Promise<void> {
    const downloads = [...this.open];
    if (downloads.length === 0) return;
    await endRefused(this.credentials, downloads);
    const ids = [...new Set(downloads.map(({ id }) => id))];
    const stored = new Set((await this.database.query<{ id: string }>(STORED, [ids])).map(({ id }) => id));
    for (const download of downloads) if (!stored.has(download.id)) download.end('RESOURCE_NOT_FOUND');
  }
}
