import { Injectable } from '@nestjs/common';
import { DEFAULT_MODELS, fromPublicId, fullModelName, shownModelName, type Environment } from '#contracts';
import { mergedSettings } from '../../accounts/account-settings';
import { Accounts } from '../../accounts/accounts.service';
import { Database } from '../../core/database/database.service';
import { ApiError } from '../../core/http/lifecycle/api-error';
import type { Caller } from '../../core/http/lifecycle/request-context';
import { SettingsService } from '../../core/settings/settings.service';
import { Attachments } from '../../media/attachments.service';
import { AiService, type Asking } from '../ai.service';
import { ContextFiles, type MediaLimits } from '../assistant/context-files.service';
import { contentOf } from '../assistant/message-words';
import type { GeneratedDto } from '../dto/ai.dto';
import type { PreviewDto } from '../dto/preview.dto';
import type { AiMessage } from '../provider/ai-provider.port';
import { PAST_CONTEXT, TARGET, type PastMessage, type TargetRow } from './preview.rows';

interface Target extends TargetRow {
  /** UUID of the conversation. */
  conversation: string;
}

/** Answers a past message with other settings. Nothing is sent, and only the bill is stored. */
@Injectable()
export class Preview {
  constructor(
    private readonly database: Database,
    private readonly settings: SettingsService,
    private readonly accounts: Accounts,
    private readonly ai: AiService,
    private readonly attachments: Attachments,
    private readonly files: ContextFiles,
  ) {}

  /**
   * @throws ApiError RESOURCE_NOT_FOUND, INVALID_REQUEST without a message to answer; as `AiService.generate`
   */
  async run(caller: Caller, asking: Asking, preview: PreviewDto, signal?: AbortSignal): Promise<GeneratedDto> {
    const { settings, account_settings: changes = {} } = preview;
    const { environment } = caller;
    const { ai: inForce } = this.settings.of(environment);
    const { provider = inForce.provider } = settings;
    const isProviders = inForce.model === DEFAULT_MODELS[inForce.provider];
    const tried = { ...inForce, ...(isProviders && { model: DEFAULT_MODELS[provider] }), ...settings };
    const target = await this.targetOf(environment, preview);
    const own = mergedSettings(this.accounts.settingsOf({ environment, ...target }), changes).ai ?? {};
    const { model, system_prompt } = { ...tried, ...own };
    // Names without a provider are models of the provider that is tried, not of the one in force.
    const named = (name: string) =>
      provider === inForce.provider ? name : shownModelName(fullModelName(name, provider), inForce.provider);
    const [asked, fallbackModels] = [named(model), tried.fallback_models.map(named)];
    this.ai.assertMayAsk(caller, {
      [own.model === undefined ? 'settings.model' : 'account_settings.ai.model']: [asked],
      'settings.fallback_models': fallbackModels,
    });
    const past = await this.contextOf(target, tried.context_messages);
    const messages = await this.withFiles(environment, past, { ...inForce.media, ...settings.media });
    return this.ai.answer(
      caller,
      asking,
      {
        messages,
        growing: false,
        model: asked,
        maxTokens: tried.max_tokens,
        temperature: tried.temperature,
        system: system_prompt,
        fallbackModels,
      },
      undefined,
      signal,
    );
  }

  private async targetOf(environment: Environment, { conversation_id, message_id }: PreviewDto): Promise<Target> {
    const conversation = fromPublicId('conversation', conversation_id);
    const message = message_id === undefined ? null : fromPublicId('message', message_id);
    const [target] =
      conversation === undefined
        ? []
        : await this.database.query<TargetRow>(TARGET, [conversation, environment, message ?? null]);
    if (!target) throw ApiError.notFound('conversation', conversation_id);
    if (message_id !== undefined && (target.id === null || message === undefined))
      throw ApiError.notFound('message', message_id);
    return { ...target, conversation: conversation! };
  }

  /** Oldest first; the last one is the person's. */
  private async contextOf(target: Target, limit: number): Promise<PastMessage[]> {
    const { conversation, cleared_seq, id, created_at, answers_from: from, through } = target;
    // If the context was cleared after this message, the assistant saw it at the time.
    const after = through !== null && through > cleared_seq ? cleared_seq : 0;
    const newestFirst =
      id !== null
        ? await this.database.query<PastMessage>(PAST_CONTEXT, [
            conversation,
            created_at,
            through,
            after,
            limit,
            id,
            from,
          ])
        : [];
    const last = newestFirst.findIndex(({ direction }) => direction === 'inbound');
    if (last === -1) throw ApiError.malformed('the conversation has no such message to answer');
    return newestFirst.slice(last).toReversed();
  }

  private async withFiles(
    environment: Environment,
    messages: readonly PastMessage[],
    limits: MediaLimits,
  ): Promise<AiMessage[]> {
    const withFiles = messages.filter(({ has_attachments }) => has_attachments).map(({ id }) => id);
    const attachments = await this.attachments.ofMessages(withFiles);
    const shown = messages.map((message) => ({
      direction: message.direction,
      content: contentOf(message),
      attachments: attachments.get(message.id) ?? [],
    }));
    return this.files.messages(environment, shown, limits);
  }
}
