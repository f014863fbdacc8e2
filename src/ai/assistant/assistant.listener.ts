import { Injectable } from '@nestjs/common';
import { fromPublicId } from '#contracts';
import type { DomainEvent } from '../../core/events/domain-event';
import { OnDomainEvent } from '../../core/events/on-domain-event.decorator';
import { Work } from '../../core/work/work.service';
import { REPLIES } from './reply-tasks.service';

/** Wakes the assistant when a message has come in: its reply task was stored with it. */
@Injectable()
export class AssistantListener {
  constructor(private readonly work: Work) {}

  @OnDomainEvent('message.received')
  onMessageReceived({ environment, data }: DomainEvent<'message.received'>): void {
    this.work.wake(REPLIES, environment, fromPublicId('conversation', data.conversation_id)!);
  }
}
