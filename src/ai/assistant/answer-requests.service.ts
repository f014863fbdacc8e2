import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Environment } from '#contracts';
import { Accounts } from '../../accounts/accounts.service';
import { Handovers } from '../../conversations/handover/handovers.service';
import { ApiError } from '../../core/http/lifecycle/api-error';
import { SettingsService } from '../../core/settings/settings.service';
import { Work } from '../../core/work/work.service';
import { REPLIES, ReplyTasks } from './reply-tasks.service';

/** Asks the assistant again about messages that it failed to answer. */
@Injectable()
export class AnswerRequests {
  constructor(
    private readonly dataSource: DataSource,
    private readonly handovers: Handovers,
    private readonly tasks: ReplyTasks,
    private readonly settings: SettingsService,
    private readonly work: Work,
    private readonly accounts: Accounts,
  ) {}

  /**
   * @returns the conversation that is answered: that of a merged one is the one that it was merged into
   * @throws ApiError RESOURCE_NOT_FOUND, or INVALID_REQUEST unless the conversation is unanswered
   */
  async request(environment: Environment, id: string): Promise<string> {
    const answered = await this.dataSource.transaction(async (transaction) => {
      const conversation = await this.handovers.lock(transaction, environment, id);
      if (conversation.handling !== 'assistant')
        throw ApiError.malformed('the assistant does not have the conversation; resume it first');
      const own = this.accounts.settingsOf(conversation).ai?.auto_reply;
      if (!(own ?? this.settings.of(environment).ai.auto_reply))
        throw ApiError.malformed('the assistant is off (the setting ai.auto_reply)');
      const position = await this.tasks.askAgain(transaction, conversation.id);
      if (position === undefined)
        throw ApiError.malformed('the newest message has an answer, needs none, or is being answered');
      await this.handovers.reopen(transaction, conversation, position);
      return conversation.id;
    });
    this.work.wake(REPLIES, environment, answered);
    return answered;
  }
}
