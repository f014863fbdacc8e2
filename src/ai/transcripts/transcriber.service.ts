import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { toPublicId, type Environment } from '#contracts';
import { Clock } from '../../core/clock/clock.service';
import { Configuration } from '../../core/config/configuration';
import { Metrics } from '../../core/observability/metrics.service';
import { DeploymentSecrets } from '../../core/secrets/deployment-secrets';
import { personOf } from '../../core/secrets/person';
import { SettingsService } from '../../core/settings/settings.service';
import type { DueRow } from '../../core/work/due.rows';
import { ExternalError } from '../../core/work/monitor/own-fault';
import { Work } from '../../core/work/work.service';
import { DUE_TRANSCRIPTS, type DueAttachment } from '../../media/message-attachments.rows';
import { TRANSCRIPTS, TranscriptError, Transcripts } from '../../media/transcripts.service';
import type { AiTokens } from '../provider/ai-provider.port';
import { Budgets } from '../usage/budgets.service';
import { BudgetSpentError, type Reservation } from '../usage/reservation';
import { UsageRecorder } from '../usage/usage-recorder.service';

/** Transcripts that one instance makes at once in each environment. */
const PLACES = 2;
/** A service that fails this often is not there, or does not know the format; the person waits for an answer meanwhile. */
const ATTEMPTS = 4;
const NO_TOKENS: AiTokens = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
/** Bytes of a second of sound at 128 kbit/s: senders announce lengths, and may announce too short ones. */
const MOST_BYTES = 16_000;
/** Bytes of a second of a voice message at 16 kbit/s, for files without an announced length (WhatsApp). */
const VOICE_BYTES = 2_000;

type Due = DueAttachment & DueRow;

/** Makes transcripts of voice messages. They count against the budgets of the environment and of the person who wrote. */
@Injectable()
export class Transcriber implements OnModuleInit {
  private readonly logger = new Logger(Transcriber.name);

  constructor(
    private readonly work: Work,
    private readonly transcripts: Transcripts,
    private readonly budgets: Budgets,
    private readonly recorder: UsageRecorder,
    private readonly settings: SettingsService,
    private readonly secrets: DeploymentSecrets,
    private readonly configuration: Configuration,
    private readonly metrics: Metrics,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.work.register<Due>({
      name: TRANSCRIPTS,
      due: DUE_TRANSCRIPTS,
      concurrency: PLACES,
      run: (row, signal) => this.run(row, signal),
    });
  }

  private async run(row: Due, signal: AbortSignal): Promise<void> {
    if (!this.transcripts.takes(row)) return this.transcripts.finish(row, null);
    const usdPerSecond = this.settings.of(row.environment).ai.transcript_usd_per_minute / 60;
    const seconds = secondsOf(row);
    const reservation = await this.reserve(row, seconds * usdPerSecond);
    if (!reservation) return this.transcripts.finish(row, null);
    try {
      const made = await this.transcripts.make(row, signal);
      await this.charge(row.environment, reservation, (made.seconds ?? seconds) * usdPerSecond);
      await this.transcripts.finish(row, made.text);
    } catch (error) {
      if (!(error instanceof TranscriptError)) throw error;
      if (error.isBilled) await this.charge(row.environment, reservation, seconds * usdPerSecond);
      this.logger.warn(
        `The transcript of attachment ${toPublicId('attachment', row.id)} could not be made: ${error.message}`,
      );
      if (row.attempts < ATTEMPTS && !error.isFinal) throw new ExternalError(error.message);
      await this.transcripts.finish(row, null);
    } finally {
      reservation.end();
    }
  }

  /** @returns undefined if a budget has no room for it */
  private async reserve({ id, environment, author }: Due, usd: number): Promise<Reservation | undefined> {
    const person = author ? personOf(this.secrets, environment, author.platform, author.id) : undefined;
    try {
      return await this.budgets.reserveUsd(environment, { person }, usd);
    } catch (error) {
      if (!(error instanceof BudgetSpentError)) throw error;
      this.logger.debug(`Attachment ${toPublicId('attachment', id)} will have no transcript: ${error.message}`);
      return undefined;
    }
  }

  private async charge(environment: Environment, reservation: Reservation, cost: number): Promise<void> {
    reservation.chargeUsd(cost);
    this.metrics.aiUsed(undefined, environment, NO_TOKENS, cost);
    const { model } = this.configuration.transcription;
    const { isHeld } = reservation;
    await this.recorder.recordUnstored({ environment, at: this.clock.date(), model, tokens: NO_TOKENS, cost, isHeld });
  }
}

/** The length that a file is reserved and, unless the service reports another, billed at. */
function secondsOf({ duration_seconds: announced, size_bytes }: Due): number {
  const bytes = size_bytes ?? 0;
  return announced === null ? bytes / VOICE_BYTES : Math.max(announced, bytes / MOST_BYTES);
}
