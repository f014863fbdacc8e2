import ipaddr from 'ipaddr.js';
import { type DoctorCheck, type DoctorFinding, finding, healthy } from '#contracts';
import type { Configuration } from '../../core/config/configuration';

/** Checks that HTTPS and client addresses reach the gateway safely. */
export class ProxyCheck implements DoctorCheck {
  readonly name = 'proxy';
  readonly variables = ['HOST', 'REQUIRE_HTTPS', 'TRUST_PROXY', 'TLS_CERT_FILE', 'TLS_KEY_FILE'];

  constructor(private readonly http: Pick<Configuration['http'], 'host' | 'requireHttps' | 'trustProxy' | 'tls'>) {}

  check(): Promise<DoctorFinding[]> {
    const { host, requireHttps, trustProxy, tls } = this.http;
    const findings: DoctorFinding[] = [];
    const anyAddress = trustProxy.filter((range) => range.endsWith('/0'));
    if (anyAddress.length > 0)
      findings.push(finding('proxy.trusts-any-address', `TRUST_PROXY has ${anyAddress.join(', ')}`));
    if (requireHttps && !tls && trustProxy.length === 0)
      findings.push(finding('proxy.every-request-refused', 'REQUIRE_HTTPS is true, and no request can prove HTTPS'));
    if (!requireHttps && !tls && !isLoopback(host))
      findings.push(finding('proxy.plain-http', `HOST is ${host}, and REQUIRE_HTTPS is false`));
    const way = tls
      ? 'by native HTTPS'
      : trustProxy.length > 0
        ? `through proxies at ${trustProxy.join(', ')}`
        : 'only from this machine';
    return Promise.resolve(findings.length > 0 ? findings : [healthy(this.name, `requests come ${way}`)]);
  }
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || (ipaddr.isValid(host) && ipaddr.parse(host).range() === 'loopback');
}
