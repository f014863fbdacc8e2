import { FastifyAdapter } from '@nestjs/platform-fastify';

/** Nest's adapter, whose close a service can prolong: Fastify's `preClose` may take only ten seconds. */
export class GatewayAdapter extends FastifyAdapter {
  /** Closes the server in its time. Unset: at once. */
  drain?: (close: () => Promise<void>) => Promise<void>;

  override close(): Promise<void> {
    const close = () => super.close();
    return this.drain ? this.drain(close) : close();
  }
}
