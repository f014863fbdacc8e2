import { once } from 'node:events';
import { get as getHttp, type IncomingMessage } from 'node:http';
import { get as getHttps } from 'node:https';
import { isIPv6 } from 'node:net';
import { type DoctorCheck, type DoctorFinding, finding, healthy } from '#contracts';
import type { Configuration } from '../../core/config/configuration';
import { describeError } from '../../core/doctor/describe-error';

const TIMEOUT_MS = 3_000;
/** Loopback address of a listener on all addresses. */
const LOCAL: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/** Checks that PORT is free, or that a gateway answers at it. */
export class PortCheck implements DoctorCheck {
  readonly name = 'port';
  readonly variables = ['HOST', 'PORT', 'TLS_CERT_FILE', 'TLS_KEY_FILE'];

  constructor(private readonly http: Pick<Configuration['http'], 'host' | 'port' | 'tls'>) {}

  async check(): Promise<DoctorFinding[]> {
    const { host, port } = this.http;
    if (port === 0) return [healthy(this.name, 'the start chooses a free port')];
    const { answer, error, isConnected } = await this.ask();
    // Every response of a gateway has this header.
    if (String(answer?.headers['x-request-id']).startsWith('req_'))
      return [healthy(this.name, `a gateway answers at port ${port}`)];
    if (!isConnected) return [healthy(this.name, `port ${port} is free`)];
    const what = answer === undefined ? `fails to answer (${describeError(error)})` : 'answers';
    return [finding('port.taken', `At ${host}, port ${port}, another program ${what}`)];
  }

  private async ask(): Promise<{ answer?: IncomingMessage; error?: unknown; isConnected: boolean }> {
    const { host, port, tls } = this.http;
    const address = LOCAL[host] ?? host;
    const authority = isIPv6(address) ? `[${address}]` : address;
    const url = `${tls ? 'https' : 'http'}://${authority}:${port}/health/live`;
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    // The certificate is issued for the public name, not for this address.
    const request = tls ? getHttps(url, { signal, rejectUnauthorized: false }) : getHttp(url, { signal });
    request.on('error', () => undefined);
    let isConnected = false;
    request.once('socket', (socket) => socket.once('connect', () => (isConnected = true)));
    try {
      const [answer] = (await once(request, 'response')) as [IncomingMessage];
      answer.destroy();
      return { answer, isConnected };
    } catch (error) {
      return { error, isConnected };
    }
  }
}
