import Anthropic, { NotFoundError } from '@anthropic-ai/sdk';
import { type DoctorCheck, type DoctorFinding, finding, healthy, NotCheckable } from '#contracts';
import type { Configuration } from '../../core/config/configuration';
import type { DoctorDatabase } from '../../core/doctor/doctor-database';
import { liveSettings } from '../../core/doctor/live-settings.rows';
import { toAiProviderError } from '../provider/anthropic/anthropic-errors';
import { clientOptions } from '../provider/anthropic/anthropic.provider';
import { wholeFetch } from '../provider/anthropic/whole-fetch';

const TIMEOUT_MS = 8_000;

interface Models {
  model: string;
  fallbacks: readonly string[];
}

/** Looks the models up at the provider: it generates no message, so nothing is billed. */
export class AiCheck implements DoctorCheck {
  readonly name = 'ai';
  readonly variables = ['ANTHROPIC_API_KEY', 'ANTHROPIC_BASE_URL', 'AI_MODEL'];

  constructor(
    private readonly configuration: Configuration,
    private readonly database: DoctorDatabase,
  ) {}

  async check(signal: AbortSignal): Promise<DoctorFinding[]> {
    const { apiKey, baseUrl } = this.configuration.ai;
    if (apiKey === undefined) return [healthy(this.name, 'not configured: ANTHROPIC_API_KEY is not set')];
    const client = new Anthropic({ ...clientOptions(apiKey, baseUrl, TIMEOUT_MS), fetch: wholeFetch });
    const { model, fallbacks } = await this.models();
    try {
      const offers = await isOffered(client, model, signal);
      if (offers === undefined) return [healthy(this.name, 'the provider answers, but has no list of models')];
      const missing = offers ? [] : [model];
      for (const fallback of fallbacks)
        if ((await isOffered(client, fallback, signal)) === false) missing.push(fallback);
      const findings = missing.map((each) => finding('ai.model-unknown', `The provider does not offer ${each}`));
      return findings.length > 0 ? findings : [healthy(this.name, `the key is valid, and ${model} is offered`)];
    } catch (cause) {
      const { type, message } = toAiProviderError(cause, apiKey, signal);
      return [finding(type === 'authentication' ? 'ai.key-refused' : 'ai.unreachable', message)];
    }
  }

  /** The models of the settings; without a database, the model of the environment variable. */
  private async models(): Promise<Models> {
    try {
      const { ai } = await liveSettings(this.configuration, this.database);
      return { model: ai.model, fallbacks: ai.fallback_models };
    } catch (error) {
      if (!(error instanceof NotCheckable)) throw error;
      return { model: this.configuration.ai.model, fallbacks: [] };
    }
  }
}

/** @returns undefined if the server knows only messages, as some servers do that imitate the API */
async function isOffered(client: Anthropic, model: string, signal: AbortSignal): Promise<boolean | undefined> {
  try {
    const found = await client.models.retrieve(model, {}, { signal });
    return typeof found?.id === 'string' ? true : undefined;
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error;
  }
  try {
    const page = await client.models.list({ limit: 1 }, { signal });
    return Array.isArray(page.data) ? false : undefined;
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error;
    return undefined;
  }
}
