/** The AI providers: `openai` is every server that speaks OpenAI's Chat Completions. */
export const AI_PROVIDERS = ['anthropic', 'openai'] as const;
export type AiProviderName = (typeof AI_PROVIDERS)[number];

/** The model of each provider until the operator names one. */
export const DEFAULT_MODELS: Readonly<Record<AiProviderName, string>> = {
  anthropic: 'claude-sonnet-5-5',
  openai: 'gpt-5-mini',
};

/** A model as its provider names it. */
export interface AiModel {
  provider: AiProviderName;
  model: string;
}

/**
 * Reads the name of a model. A leading `openai/` or `anthropic/` is its provider, and is removed once: the model of
 * `openai/openai/gpt-oss-20b` is `openai/gpt-oss-20b`.
 * @param unnamed the provider of a name without one; that of full names by default
 */
export function modelNamed(name: string, unnamed: AiProviderName = 'anthropic'): AiModel {
  const provider = AI_PROVIDERS.find((each) => name.length > each.length + 1 && name.startsWith(`${each}/`));
  return provider ? { provider, model: name.slice(provider.length + 1) } : { provider: unnamed, model: name };
}

/**
 * The full name of a model, by which names are compared and which the API shows. Anthropic's models have no prefix, as before
 * there was another provider, unless their own name begins like one.
 */
export function fullModelName(name: string, unnamed: AiProviderName): string {
  return nameOfModel(modelNamed(name, unnamed));
}

/**
 * The name by which an environment shows a model, so that it means the same model when it is sent back: where a bare name means
 * another provider's model, Anthropic's have their prefix too.
 * @param full its full name
 * @param unnamed the environment's provider of names without one
 */
export function shownModelName(full: string, unnamed: AiProviderName): string {
  return fullModelName(full, unnamed) === full ? full : `anthropic/${full}`;
}

/** The full name of a model that its provider names so: the reverse of `modelNamed`. */
export function nameOfModel({ provider, model }: AiModel): string {
  const isBare = provider === 'anthropic' && modelNamed(model, provider).model === model;
  return isBare ? model : `${provider}/${model}`;
}
