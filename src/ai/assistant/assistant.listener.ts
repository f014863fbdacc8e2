import { Injectable } from '@nestjs/common';
import { OnDomainEvent } from '../../core/events/on-domain-event.decorator';
import { DueWork } from '../../core/work/signals/due-work.service';
import { REPLIES } from './reply-tasks.service';

/** Wakes the assistant when a message has come in: its reply task was stored with it. */
@Injectable()
export class AssistantListener {
  constructor(private readonly work: DueWork) {}

  @OnDomainEvent('message.received')
  onMessageReceived(): void {
    this.work.signal(REPLIES);
  }
}
