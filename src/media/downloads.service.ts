import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { DEFAULT_ACCOUNT, toPublicId, type AccountKey, type Environment, type Platform } from '#contracts';
import { Accounts } from '../accounts/accounts.service';
import { Clock } from '../core/clock/clock.service';
import { Database } from '../core/database/database.service';
import type { DomainEvent } from '../core/events/domain-event';
import { DomainEvents } from '../core/events/domain-events.service';
import { eventRows } from '../core/events/event.rows';
import { ExternalError } from '../core/work/monitor/own-fault';
import { DeploymentSecrets } from '../core/secrets/deployment-secrets';
import { personOf } from '../core/secrets/person';
import type { DueRow } from '../core/work/due.rows';
import { Work } from '../core/work/work.service';
import { SettingsService } from '../core/settings/settings.service';
import { Adapters } from '../integrations/platforms/adapters.service';
import { toAttachment } from './attachment.rows';
import { kindOfFile } from './files/file-kind';
import {
  DUE_DOWNLOADS,
  FINISH_DOWNLOAD,
  POSTPONE_DOWNLOAD,
  type DownloadOutcome,
  type DueAttachment,
} from './message-attachments.rows';
import { QuotaError } from './storage/arriving-files';
import { MediaStore } from './storage/media-store.service';
import { FileTooLargeError } from './storage/spool';
import { TRANSCRIPTS, Transcripts } from './transcripts.service';

export const DOWNLOADS = 'attachments';
/** How many files of each environment one instance downloads at once. */
const CONCURRENCY = 8;
/** Platforms keep files for at most this long, in milliseconds: WhatsApp for seven days. */
const LONGEST_MS = 7 * 86_400_000;
const BACKOFF = { baseMs: 1_000, capMs: 300_000 };

type Due = DueAttachment & DueRow;

/** Fetches the files of inbound messages after the messages are stored. A download that a crash interrupts is made again. */
@Injectable()
export class Downloads implements OnModuleInit {
  private readonly logger = new Logger(Downloads.name);

  constructor(
    private readonly work: Work,
    private readonly adapters: Adapters,
    private readonly store: MediaStore,
    private readonly transcripts: Transcripts,
    private readonly database: Database,
    private readonly events: DomainEvents,
    private readonly settings: SettingsService,
    private readonly secrets: DeploymentSecrets,
    private readonly clock: Clock,
    private readonly accounts: Accounts,
  ) {}

  onModuleInit(): void {
    this.work.register<Due>({
      name: DOWNLOADS,
      due: DUE_DOWNLOADS,
      concurrency: CONCURRENCY,
      backoff: BACKOFF,
      run: (row, signal) => this.download(row, signal),
    });
  }

  /** Wakes the downloads of attachments that are due. */
  wake(environment: Environment, attachments: readonly { id: string }[]): void {
    for (const { id } of attachments) this.work.wake(DOWNLOADS, environment, id);
  }

  private async download(row: Due, signal: AbortSignal): Promise<void> {
    const { environment, source } = row;
    if (!source) throw new Error(`attachment ${row.id} is pending without a source`);
    const { max_bytes } = this.settings.of(environment).media;
    const adapter = this.adapters.of(accountOf(row));
    const download = await adapter.download(source.ref, signal, { ignoresLookUp: row.attempts > 1 });
    signal.throwIfAborted();
    if (!download.started) {
      const { failure, message, retryAfterMs } = download;
      this.logger.debug(`The file of attachment ${row.id} could not be fetched (${failure}): ${message}`);
      if (failure === 'expired') return this.end(row, 'expired', 'platform');
      if (failure === 'too_large') return this.end(row, 'too_large', 'platform');
      if (this.isTooOld(row)) return this.end(row, 'expired', 'platform');
      if (retryAfterMs === undefined) throw new ExternalError(message);
      await this.database.query(POSTPONE_DOWNLOAD, [row.id, row.fence, retryAfterMs / 1_000]);
      return;
    }
    if (download.sizeBytes !== undefined && download.sizeBytes > max_bytes) {
      download.body.destroy();
      return this.end(row, 'too_large', 'max_bytes');
    }
    try {
      const person = row.author && personOf(this.secrets, environment, row.author.platform, row.author.id);
      const { sizeBytes, sha256, head } = await this.store.take(environment, download.body, { signal, person });
      const { kind, mimeType, size } = await kindOfFile(head, row.kind === 'document' ? undefined : row.kind);
      await this.finish(row, {
        status: 'stored',
        reason: null,
        kind,
        mime_type: mimeType,
        size_bytes: sizeBytes,
        sha256,
        width: size?.width ?? null,
        height: size?.height ?? null,
      });
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof FileTooLargeError) return this.end(row, 'too_large', 'max_bytes');
      if (error instanceof QuotaError) return this.end(row, 'failed', 'quota');
      // The connection broke, or the platform sent less than it announced.
      if (download.body.errored) {
        if (this.isTooOld(row)) return this.end(row, 'expired', 'platform');
        throw new ExternalError(download.body.errored.message);
      }
      throw error;
    }
  }

  private isTooOld({ created_at }: Due): boolean {
    return this.clock.now() - created_at.getTime() > LONGEST_MS;
  }

  private end(row: Due, status: 'failed' | 'too_large' | 'expired', reason: string): Promise<void> {
    const { kind, mime_type, size_bytes } = row;
    const nothing = { mime_type, size_bytes, sha256: null, width: null, height: null };
    return this.finish(row, { status, reason, kind, ...nothing });
  }

  private async finish(row: Due, outcome: DownloadOutcome): Promise<void> {
    const { id, fence, environment } = row;
    const isSpoken = outcome.status === 'stored' && this.transcripts.isFor(outcome.kind);
    const events = this.eventsOf(row, outcome);
    const { status, reason, kind, mime_type, size_bytes, sha256, width, height } = outcome;
    const [result] = await this.database.query<{ recorded: boolean }>(FINISH_DOWNLOAD, [
      id,
      fence,
      status,
      reason,
      kind,
      mime_type,
      size_bytes,
      sha256,
      width,
      height,
      eventRows(events),
      environment,
      isSpoken,
    ]);
    if (!result!.recorded) throw new ExternalError('the lease was lost, or the bytes are gone');
    this.events.publish(events);
    if (isSpoken) this.work.wake(TRANSCRIPTS, environment, id);
  }

  private eventsOf(row: Due, outcome: DownloadOutcome): DomainEvent[] {
    if (row.message_id === null || row.conversation_id === null) return [];
    const type = outcome.status === 'stored' ? 'attachment.stored' : 'attachment.failed';
    const { id, filename, duration_seconds } = row;
    const size = { width: outcome.width ?? row.width, height: outcome.height ?? row.height };
    return [
      this.events.create(type, {
        environment: row.environment,
        message_id: toPublicId('message', row.message_id),
        conversation_id: toPublicId('conversation', row.conversation_id),
        platform: row.source!.platform satisfies Platform,
        account: this.accounts.shown(accountOf(row)),
        attachment: toAttachment({ id, filename, duration_seconds, transcript: null, ...outcome, ...size }),
      }),
    ];
  }
}

/** The account that received the attachment. */
function accountOf({ environment, source }: Due): AccountKey {
  const { platform, account = DEFAULT_ACCOUNT } = source!;
  return { environment, platform, account };
}
