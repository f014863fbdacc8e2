import { Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { createTransport, type Transporter } from 'nodemailer';
import type { Environment } from '#contracts';
import { Configuration } from '../../core/config/configuration';
import { Database, statement } from '../../core/database/database.service';
import { retryUntilPersisted } from '../../core/database/retry-until-persisted';
import { SettingsService } from '../../core/settings/settings.service';
import type { DueRow } from '../../core/jobs/due-rows';
import { DueWork } from '../../core/jobs/due-work.service';
import { OWNER_MAIL } from './owner-mail';

const LEASE_SECONDS = 90;
/** A mail server that does not answer within this is tried again later. */
const SMTP_TIMEOUT_MS = 30_000;
/** Of mail that could not be sent. */
const BACKOFF = { baseMs: 5_000, capMs: 3_600_000 };

const SENT = statement(
  'mail-sent',
  `UPDATE mail_outbox SET sent_at = now(), next_at = NULL, lease_until = NULL, error = NULL WHERE id = $1 AND fence = $2`,
);
const KEPT = statement(
  'mail-kept',
  `UPDATE mail_outbox SET error = $3, lease_until = NULL, next_at = NULL WHERE id = $1 AND fence = $2`,
);

interface MailRow extends DueRow {
  id: string;
  environment: Environment;
  subject: string;
  text: string;
}

/** Sends the outbox to the owner; where no mail is configured, logs it and keeps it. */
@Injectable()
export class Mailer implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger(Mailer.name);
  private readonly transport: Transporter | undefined;

  constructor(
    private readonly configuration: Configuration,
    private readonly settings: SettingsService,
    private readonly database: Database,
    private readonly work: DueWork,
  ) {
    const { smtpUrl } = configuration.mail;
    this.transport =
      smtpUrl === undefined
        ? undefined
        : createTransport({
            url: smtpUrl,
            connectionTimeout: SMTP_TIMEOUT_MS,
            greetingTimeout: SMTP_TIMEOUT_MS,
            socketTimeout: SMTP_TIMEOUT_MS,
          });
  }

  onModuleInit(): void {
    this.work.register<MailRow>({
      name: OWNER_MAIL,
      due: {
        table: 'mail_outbox',
        key: 'id',
        columns: 'id, environment, subject, text',
        condition: 'next_at IS NOT NULL',
        leaseSeconds: LEASE_SECONDS,
      },
      concurrency: 2,
      keyOf: ({ id }) => id,
      backoff: BACKOFF,
      run: (mail, signal) => this.send(mail, signal),
    });
  }

  onApplicationShutdown(): void {
    this.transport?.close();
  }

  private async send(mail: MailRow, signal: AbortSignal): Promise<void> {
    const { id, fence, environment, subject, text } = mail;
    const to = this.settings.of(environment).notifications.owner_email;
    if (!this.transport || to === null) {
      const reason = this.transport ? 'no owner e-mail address is set' : 'SMTP_URL is not set';
      this.logger.warn(`Mail is kept, not sent (${reason}): ${subject}\n${text}`);
      await this.database.query(KEPT, [id, fence, reason]);
      return;
    }
    // The same Message-ID at each try: a mail server that took it before can tell.
    const messageId = `<${id}@messaging-gateway>`;
    await this.transport.sendMail({ from: this.configuration.mail.from ?? to, to, subject, text, messageId });
    // Forgotten, it would be sent again: the only double is that of a process that dies right here.
    await retryUntilPersisted(() => this.database.query(SENT, [id, fence]), signal);
  }
}
