import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { type DoctorCheck, type DoctorFinding, finding, healthy } from '#contracts';
import { DAY_MS, utcDay } from '../../core/clock/timeline';

const SOON_MS = 21 * DAY_MS;

/** Checks the validity of the certificate for native HTTPS: the first one in the file. */
export class TlsCheck implements DoctorCheck {
  readonly name = 'tls';
  readonly variables = ['TLS_CERT_FILE', 'TLS_KEY_FILE'];

  constructor(private readonly certFile: string | undefined) {}

  async check(): Promise<DoctorFinding[]> {
    if (this.certFile === undefined) return [healthy(this.name, 'not configured: TLS_CERT_FILE is not set')];
    const { validFromDate, validToDate } = new X509Certificate(await readFile(this.certFile));
    const now = Date.now();
    const until = utcDay(validToDate);
    if (validFromDate.getTime() > now)
      return [finding('tls.expired', `${this.certFile} is valid from ${validFromDate.toISOString()} on`)];
    if (validToDate.getTime() <= now) return [finding('tls.expired', `${this.certFile} was valid until ${until}`)];
    if (validToDate.getTime() - now < SOON_MS)
      return [finding('tls.expiring', `${this.certFile} is valid until ${until}`)];
    return [healthy(this.name, `the certificate is valid until ${until}`)];
  }
}
