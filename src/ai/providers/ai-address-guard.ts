import { Agent, type Dispatcher } from 'undici';
import type { Configuration } from '../../core/config/configuration';
import { AddressGuard } from '../../core/egress/address-guard.service';
import { guardedConnector } from '../../core/egress/guarded-connector';

const CONNECT_TIMEOUT_MS = 10_000;
/** A stream repeats its frame around each word. */
const MOST_BYTES = 64 * 1_024 * 1_024;

/** Keeps calls to base URLs that the API sets out of the operator's network, except for the networks that the operator names. */
export class AiAddressGuard {
  readonly dispatcher: Dispatcher;
  private readonly guard: AddressGuard;

  constructor({ ai: { allowedCidrs } }: Configuration) {
    // A server in the operator's own network has no certificate.
    this.guard = new AddressGuard({ allowedCidrs, allowHttp: allowedCidrs.length > 0 });
    this.dispatcher = new Agent({
      allowH2: false,
      // The caller's signal sets the time limits.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: guardedConnector(this.guard, {
        egressAddresses: [],
        timeoutMs: CONNECT_TIMEOUT_MS,
        answerLimitBytes: MOST_BYTES,
      }),
    });
  }

  /** @returns the fault of a base URL */
  async fault(baseUrl: string): Promise<string | undefined> {
    const fault = await this.guard.urlFault(baseUrl);
    return fault ?? (new URL(baseUrl).hash === '' ? undefined : 'must not have a fragment');
  }
}
