import { Injectable } from '@nestjs/common';
import type { Environment } from '#contracts';
import { AiHealth } from '../../../ai/ai-health.service';
import { refusesAll } from '../../../ai/provider/provider-health';
import { modelsOfSettings } from '../../../ai/request-by-settings';
import { Database } from '../../../core/database/database.service';
import { SettingsService } from '../../../core/settings/settings.service';
import type { Problem, ProblemSource } from '../problem';
import { LAST_ANSWER } from './problem-events.rows';
import { ProblemEvents, type EventGroup } from './problem-events.service';

/** Reasons in the titles, by type of failure. */
const CAUSES: Readonly<Record<string, string>> = {
  authentication: 'it rejects the API key',
  permission_denied: 'the key may not use the model',
  spend_limit: 'its budget or credit is used up',
  overloaded: 'it is overloaded',
  timeout: 'it does not answer in time',
  unavailable: 'it cannot be reached, or returns an error',
  rate_limited: 'it limits the rate of requests',
  invalid_request: 'it does not accept the request',
  request_too_large: 'the request is too large',
  model_not_found: 'it does not know the model',
  empty_response: 'its answer has no text',
  refusal: 'it declines to answer',
  internal: 'the gateway failed to make or record the answer',
};

/** The client left: it needs no answer. */
const LEFT = 'aborted';
const NOT_CONFIGURED = 'not_configured';

/** Failures of the AI since its last answer, by type. */
@Injectable()
export class AiProblems implements ProblemSource {
  constructor(
    private readonly events: ProblemEvents,
    private readonly database: Database,
    private readonly settings: SettingsService,
    private readonly ai: AiHealth,
  ) {}

  async find(environment: Environment, since: Date): Promise<Problem[]> {
    const [answer] = await this.database.query<{ at: Date | null }>(LAST_ANSWER, [environment]);
    // An error of the same millisecond as the answer counts as earlier.
    const after = new Date((answer?.at?.getTime() ?? -1) + 1);
    const over = new Set([LEFT, ...(this.ai.canAnswer(environment) ? [NOT_CONFIGURED] : [])]);
    const groups = await this.events.groups(environment, 'ai.error', (cause) =>
      over.has(typeOf(cause)) ? undefined : after,
    );
    return groups
      .map((group) => this.problem(environment, group))
      .filter(({ kind, lastAt }) => kind === 'ai_refused' || lastAt >= since);
  }

  private problem(environment: Environment, { cause, events, ...times }: EventGroup<'ai.error'>): Problem {
    const type = typeOf(cause);
    const models = modelsOfSettings(this.settings.of(environment).ai);
    const own = events.filter(({ data }) => models.includes(data.model)).length;
    // A permission is for one model, and a client may name a model outside the settings: only failures of the settings'
    // models count.
    const isRefused = own > 0 && refusesAll(type, own);
    const reason = CAUSES[type] ?? type;
    return {
      kind: isRefused ? 'ai_refused' : 'ai_error',
      cause: type,
      severity: isRefused ? 'critical' : 'warning',
      title:
        type === NOT_CONFIGURED
          ? 'No AI is set up: the assistant answers nobody.'
          : `The AI provider ${isRefused ? 'refuses every request' : 'fails'}: ${reason}.`,
      ...times,
      subject: { type: 'ai_provider', id: this.ai.provider(environment) },
      samples: events.map(({ id }) => id),
    };
  }
}

/** An `ai.error` has no platform, so its cause is only the type. */
function typeOf(cause: string): string {
  return cause.trim();
}
