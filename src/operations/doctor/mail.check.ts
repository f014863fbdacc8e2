import { createTransport } from 'nodemailer';
import { type DoctorCheck, type DoctorFinding, finding, healthy, NotCheckable } from '#contracts';
import { describeError } from '../../core/doctor/describe-error';
import type { Configuration } from '../../core/config/configuration';
import type { DoctorDatabase } from '../../core/doctor/doctor-database';
import { liveSettings } from '../../core/doctor/live-settings.rows';

const TIMEOUT_MS = 8_000;

/** Greets the mail server and logs in; sends nothing. */
export class MailCheck implements DoctorCheck {
  readonly name = 'mail';
  readonly variables = ['SMTP_URL', 'OWNER_EMAIL'];

  constructor(
    private readonly configuration: Configuration,
    private readonly database: DoctorDatabase,
  ) {}

  async check(): Promise<DoctorFinding[]> {
    const { smtpUrl } = this.configuration.mail;
    if (smtpUrl === undefined) return [healthy(this.name, 'not configured: mail to the owner is logged and kept')];
    const { host } = new URL(smtpUrl);
    const findings = [...(await this.server(smtpUrl, host)), ...(await this.owner())];
    return findings.length > 0 ? findings : [healthy(this.name, `${host} takes mail`)];
  }

  private async server(url: string, host: string): Promise<DoctorFinding[]> {
    const transport = createTransport({
      url,
      connectionTimeout: TIMEOUT_MS,
      greetingTimeout: TIMEOUT_MS,
      socketTimeout: TIMEOUT_MS,
    });
    try {
      await transport.verify();
      return [];
    } catch (error) {
      return [finding('mail.unreachable', `${host}: ${describeError(error)}`)];
    } finally {
      transport.close();
    }
  }

  private async owner(): Promise<DoctorFinding[]> {
    try {
      const { notifications } = await liveSettings(this.configuration, this.database, 'anthropic');
      return notifications.owner_email === null ? [finding('mail.no-owner', 'The owner has no mail address')] : [];
    } catch (error) {
      if (error instanceof NotCheckable) return [];
      throw error;
    }
  }
}
