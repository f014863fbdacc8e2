import { AddressGuard } from '../../src/core/egress/address-guard.service';
import type { TestGateway } from './gateway';

/** From now on no name leads anywhere: the receivers of examples and of chance are strangers. */
export function resolveNoNames({ app }: TestGateway): void {
  app.get(AddressGuard).resolve = (_hostname, _options, callback) =>
    callback(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }), []);
}
