import { UseFilters } from '@nestjs/common';
import { Ctx, On, Update } from 'nestjs-telegraf';
import { wordsOf } from '../../fault-words';
import { RethrowFilter } from '../../rethrow.filter';
import type { InboundContext } from './inbound-context';
import { readMessage } from './inbound-message';

/** Makes of an update what the gateway stores. */
@Update()
@UseFilters(RethrowFilter)
export class TelegramListener {
  /**
   * Resolves once the update may be confirmed: it is stored, or makes no sense and never will. Rejects when it could not be
   * stored.
   */
  @On('message')
  async onMessage(@Ctx() { update, message, sink, observer }: InboundContext): Promise<void> {
    let received;
    try {
      received = readMessage(message);
    } catch (error) {
      const skipped = `Update ${update.update_id} was skipped: ${wordsOf(error)}.`;
      observer.warning({ code: 'unusable_update', message: skipped });
    }
    if (!received) return;
    if ('message' in received) await sink.message(received.message);
    else await sink.migrate(received.migration.from, received.migration.to);
  }
}
