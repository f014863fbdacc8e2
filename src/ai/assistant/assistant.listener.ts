import { Injectable } from '@nestjs/common';
import { fromPublicId } from '#contracts';
import type { DomainEvent } from '../../core/events/domain-event';
import { OnDomainEvent } from '../../core/events/on-domain-event.decorator';
import { DueWork } from '../../core/jobs/due-work.service';
import { REPLIES, ReplyTasks } from './reply-tasks.service';

/** Asks for a reply to each message that comes in. */
@Injectable()
export class AssistantListener {
  constructor(
    private readonly tasks: ReplyTasks,
    private readonly work: DueWork,
  ) {}

  @OnDomainEvent('message.received')
  async onMessageReceived({ data }: DomainEvent<'message.received'>): Promise<void> {
    await this.tasks.request(fromPublicId('message', data.message_id)!);
    this.work.signal(REPLIES);
  }
}
