import type { Socket } from 'node:net';
import { Semaphore } from '#http-client';
import { type DoctorCheck, type DoctorFinding, finding, healthy, toPublicId } from '#contracts';
import type { Configuration } from '../../core/config/configuration';
import { describeError } from '../../core/doctor/describe-error';
import type { DoctorDatabase } from '../../core/doctor/doctor-database';
import type { WebhookEntity } from '../entities/webhook.entity';
import { ANSWER_LIMIT_BYTES } from '../../core/egress/receiver-client.service';
import { guardedConnector } from '../../core/egress/guarded-connector';
import { ForbiddenAddressError, AddressGuard } from '../../core/egress/address-guard.service';
import { COUNT_LIVE_RECEIVERS, LIVE_RECEIVERS } from './receivers.rows';

const TIMEOUT_MS = 4_000;
/** How many receivers are checked at once, and in all: a deployment may have thousands. */
const AT_ONCE = 20;
const MOST = 50;

type Row = Pick<WebhookEntity, 'id' | 'url'>;

/** Connects to the receivers of live webhooks that are not disabled as a delivery would, and posts nothing. */
export class ReceiversCheck implements DoctorCheck {
  readonly name = 'receivers';
  readonly variables = ['WEBHOOK_ALLOW_HTTP', 'WEBHOOK_ALLOWED_CIDRS', 'WEBHOOK_EGRESS_ADDRESSES', 'DATABASE_URL'];
  private readonly connector: ReturnType<typeof guardedConnector>;

  constructor(
    configuration: Configuration,
    private readonly database: DoctorDatabase,
    private readonly guard = new AddressGuard(configuration.webhooks),
  ) {
    this.connector = guardedConnector(this.guard, {
      egressAddresses: configuration.webhooks.egressAddresses,
      timeoutMs: TIMEOUT_MS,
      answerLimitBytes: ANSWER_LIMIT_BYTES,
    });
  }

  async check(): Promise<DoctorFinding[]> {
    const rows = await this.database.query<Row>(`${LIVE_RECEIVERS} LIMIT ${MOST}`);
    const [{ total } = { total: 0 }] = await this.database.query<{ total: number }>(COUNT_LIVE_RECEIVERS);
    const slots = new Semaphore(AT_ONCE);
    const found = await Promise.all(rows.map((row) => slots.run(() => this.receiver(row))));
    const findings = found.flat();
    if (findings.length > 0) return findings;
    const which = total > MOST ? `the first ${MOST} of ${total}` : `all ${total}`;
    return [healthy(this.name, total === 0 ? 'there is no live webhook' : `${which} can be reached`)];
  }

  private async receiver({ id, url }: Row): Promise<DoctorFinding[]> {
    // Path and query may hold a secret of the receiver's.
    const name = `${toPublicId('webhook', id)} at ${new URL(url).host}`;
    const refusal = await this.guard.urlFault(url);
    if (refusal !== undefined) return [finding('receivers.not-allowed', `${name}: ${refusal}`)];
    try {
      const socket = await this.connect(new URL(url));
      socket.destroy();
      return [];
    } catch (error) {
      if (error instanceof ForbiddenAddressError)
        return [finding('receivers.not-allowed', `${name}: ${error.message}`)];
      // Without the advice that Node adds for its own command line.
      return [finding('receivers.unreachable', `${name}: ${describeError(error).replace(/; if the root CA .*$/, '')}`)];
    }
  }

  private connect({ hostname, host, protocol, port }: URL): Promise<Socket> {
    return new Promise((resolve, reject) => {
      this.connector({ hostname, host, protocol, port }, (...[error, socket]) => {
        if (error) reject(error);
        else resolve(socket);
      });
    });
  }
}
