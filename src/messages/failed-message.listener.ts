import { Injectable, Logger } from '@nestjs/common';
import type { DomainEvent } from '../core/events/domain-event';
import { OnDomainEvent } from '../core/events/on-domain-event.decorator';

/** Leaves a line in the log for each message that failed: the first place where an operator looks. It names no person. */
@Injectable()
export class FailedMessageListener {
  private readonly logger = new Logger('Messages');

  @OnDomainEvent('message.failed')
  onMessageFailed({ environment, data }: DomainEvent<'message.failed'>): void {
    const { message_id, conversation_id, platform, error } = data;
    const ids = { environment, message_id, conversation_id, platform_code: error.platform_code };
    this.logger.log({ ...ids, code: error.code }, `A message to ${platform} failed: ${error.code}`);
  }
}
