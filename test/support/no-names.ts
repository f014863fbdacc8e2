import { ReceiverGuard } from '../../src/webhooks/guard/receiver-guard.service';
import type { TestGateway } from './gateway';

/** From now on no name leads anywhere: the receivers of examples and of chance are strangers. */
export function resolveNoNames({ app }: TestGateway): void {
  app.get(ReceiverGuard).resolve = (_hostname, _options, callback) =>
    callback(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }), []);
}
