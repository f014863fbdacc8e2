/** The run-time settings of one environment, as GET and PATCH /admin/settings show them. No secrets. */
export interface Settings {
  ai: {
    provider: 'anthropic';
    model: string;
    temperature: number;
    max_tokens: number;
    system_prompt: string;
    context_messages: number;
    auto_reply: boolean;
    fallback_models: string[];
    prices: Record<string, ModelPrices>;
  };
  rate_limits: { messages_per_minute: number };
  conversations: { archive_after_days: number };
  notifications: { owner_email: string | null };
  retention: { audit_days: number; delivery_days: number };
}

/** USD per million tokens. */
export interface ModelPrices {
  input: number;
  output: number;
  cache_read: number;
  cache_write: number;
}

export function defaultSettings({ model, ownerEmail }: { model: string; ownerEmail: string | null }): Settings {
  return {
    ai: {
      provider: 'anthropic',
      model,
      temperature: 1,
      max_tokens: 1024,
      system_prompt:
        'You are a helpful assistant who answers people on a messaging platform. Be friendly and brief, and answer in the language of the person.',
      context_messages: 20,
      auto_reply: true,
      fallback_models: [],
      prices: {},
    },
    rate_limits: { messages_per_minute: 60 },
    conversations: { archive_after_days: 30 },
    notifications: { owner_email: ownerEmail },
    retention: { audit_days: 90, delivery_days: 30 },
  };
}

/** What was changed, of some groups. */
export type SettingsChanges = Partial<{ [G in keyof Settings]: Partial<Settings[G]> }>;

/** The defaults, with what was changed laid over them. */
export function withChanges(defaults: Settings, changes: SettingsChanges): Settings {
  const groups = Object.keys(defaults) as (keyof Settings)[];
  return Object.fromEntries(
    groups.map((group) => [group, { ...defaults[group], ...changes[group] }]),
  ) as unknown as Settings;
}

type Document = Record<string, unknown>;

/** RFC 7396 over what is an object in both; `null` takes an entry of `ai.prices` away, and is a value elsewhere. */
export function mergeChanges(document: Document, patch: Document, path = ''): Document {
  const merged: Document = { ...document };
  for (const [name, value] of Object.entries(patch)) {
    const isEntry = path === 'ai.prices';
    if (isEntry && value === null) delete merged[name];
    else if (isObject(value)) {
      const current = Object.hasOwn(merged, name) ? merged[name] : undefined;
      merged[name] = mergeChanges(isObject(current) ? current : {}, value, path ? `${path}.${name}` : name);
    } else merged[name] = value;
  }
  return merged;
}

/** A JSON object: neither null nor an array. */
export function isObject(value: unknown): value is Document {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
