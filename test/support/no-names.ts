import { AddressGuard } from '../../src/core/egress/address-guard.service';
import type { TestGateway } from './gateway';

/** Makes every host name fail to resolve: random URLs and those of examples must not reach real servers. */
export function resolveNoNames({ app }: TestGateway): void {
  app.get(AddressGuard).resolve = (_hostname, _options, callback) =>
    callback(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }), []);
}
