import { Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import type { Transporter } from 'nodemailer';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { Configuration } from '../../core/config/configuration';
import { describeError } from '../../core/doctor/describe-error';
import { retryUntilPersisted } from '../../core/database/retry-until-persisted';
import { SettingsService } from '../../core/settings/settings.service';
import type { DueRow } from '../../core/work/due.rows';
import { ExternalError } from '../../core/work/monitor/own-fault';
import { Work } from '../../core/work/work.service';
import { MailEntity } from '../entities/mail.entity';
import { OWNER_MAIL } from './owner-mail';

const LEASE_SECONDS = 90;
/** If the mail server does not answer within this time, the mailer retries later. */
const SMTP_TIMEOUT_MS = 30_000;
/** Pauses between attempts to send a mail. */
const BACKOFF = { baseMs: 5_000, capMs: 3_600_000 };

type MailRow = DueRow & Pick<MailEntity, 'id' | 'environment' | 'subject' | 'text'>;

/** Sends the mails of the outbox to the owner. If no mail server is configured, it logs and keeps them. */
@Injectable()
export class Mailer implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger(Mailer.name);
  private transport: Transporter | undefined;

  constructor(
    private readonly configuration: Configuration,
    private readonly settings: SettingsService,
    @InjectRepository(MailEntity) private readonly outbox: Repository<MailEntity>,
    private readonly work: Work,
  ) {}

  async onModuleInit(): Promise<void> {
    const { smtpUrl } = this.configuration.mail;
    if (smtpUrl !== undefined) this.transport = await transportTo(smtpUrl);
    this.work.register<MailRow>({
      name: OWNER_MAIL,
      due: {
        table: 'mail_outbox',
        key: 'id',
        environment: 'environment',
        columns: 'id, subject, text',
        condition: 'next_at IS NOT NULL',
        leaseSeconds: LEASE_SECONDS,
      },
      concurrency: 2,
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
      await this.outbox.update({ id, fence }, { error: reason, leaseUntil: null, nextAt: null });
      return;
    }
    // Each attempt has the same Message-ID, so that a mail server can recognise a mail that it has accepted.
    const messageId = `<${id}@messaging-gateway>`;
    const from = this.configuration.mail.from ?? to;
    await this.transport.sendMail({ from, to, subject, text, messageId }).catch((err: unknown) => {
      this.logger.debug({ err, mail_id: id }, 'The mail server rejected a mail');
      throw new ExternalError(`The mail server rejected the mail: ${describeError(err)}`, { cause: err });
    });
    // Without this record, the mail would be sent again: if the process dies right here, it is sent twice.
    const sent = { sentAt: () => 'now()', nextAt: null, leaseUntil: null, error: null, faults: 0 };
    await retryUntilPersisted(() => this.outbox.update({ id, fence }, sent), signal);
  }
}

/** The library is loaded only where it is used. */
async function transportTo(url: string): Promise<Transporter> {
  const { createTransport } = await import('nodemailer');
  return createTransport({
    url,
    connectionTimeout: SMTP_TIMEOUT_MS,
    greetingTimeout: SMTP_TIMEOUT_MS,
    socketTimeout: SMTP_TIMEOUT_MS,
  });
}
