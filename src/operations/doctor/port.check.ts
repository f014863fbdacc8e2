import { once } from 'node:events';
import { get as getHttp, type IncomingMessage } from 'node:http';
import { get as getHttps } from 'node:https';
import { isIPv6 } from 'node:net';
import { type DoctorCheck, type DoctorFinding, finding, healthy } from '#contracts';
import type { Configuration } from '../../core/config/configuration';
import { describeError } from '../../core/doctor/describe-error';

/** A gateway asks its database for two seconds. */
const TIMEOUT_MS = 5_000;
const NOT_READY = 503;
/** Loopback address of a listener on all addresses. */
const LOCAL: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

interface Asked {
  answer?: IncomingMessage;
  error?: unknown;
  isConnected: boolean;
}

/** Every response of a gateway has this header. */
function isGateway({ answer }: Asked): boolean {
  return String(answer?.headers['x-request-id']).startsWith('req_');
}

/** Checks that PORT is free, or that a gateway answers at it and is ready: by its own indicators. */
export class PortCheck implements DoctorCheck {
  readonly name = 'port';
  readonly variables = ['HOST', 'PORT'];

  constructor(private readonly http: Pick<Configuration['http'], 'host' | 'port'>) {}

  async check(): Promise<DoctorFinding[]> {
    const { host, port } = this.http;
    if (port === 0) return [healthy(this.name, 'the start chooses a free port')];
    const plain = await this.ask('http');
    // The gateway that runs may have another configuration than the doctor, or a certificate that the doctor cannot read.
    const asked = isGateway(plain) || !plain.isConnected ? plain : await this.ask('https');
    if (isGateway(asked)) {
      if (asked.answer!.statusCode === NOT_READY)
        return [finding('port.not-ready', `The gateway at port ${port} is not ready`)];
      return [healthy(this.name, `a gateway answers at port ${port}`)];
    }
    const { answer, error, isConnected } = plain;
    if (!isConnected) return [healthy(this.name, `port ${port} is free`)];
    const what = answer === undefined ? `fails to answer (${describeError(error)})` : 'answers';
    return [finding('port.taken', `At ${host}, port ${port}, another program ${what}`)];
  }

  private async ask(scheme: 'http' | 'https'): Promise<Asked> {
    const { host, port } = this.http;
    const address = LOCAL[host] ?? host;
    const authority = isIPv6(address) ? `[${address}]` : address;
    const url = `${scheme}://${authority}:${port}/health/ready`;
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    // The certificate is issued for the public name, not for this address.
    const request =
      scheme === 'https' ? getHttps(url, { signal, rejectUnauthorized: false }) : getHttp(url, { signal });
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
