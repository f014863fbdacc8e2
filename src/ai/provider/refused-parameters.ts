import type { AiCompletion, AiRequest, IgnoredParameter } from './ai-provider.port';

/** The default of the APIs, the only value that every model accepts. */
const DEFAULT_TEMPERATURE = 1;

export function wantsTemperature({ temperature }: AiRequest): boolean {
  return temperature !== DEFAULT_TEMPERATURE;
}

/**
 * Remembers which optional parameters a model has refused. Newer models answer 400 to a temperature other than the default, and
 * servers that imitate an API know only some of its parameters; a fixed list would be wrong with the next model.
 */
export class RefusedParameters<Parameter extends string> {
  private readonly byModel = new Map<string, Set<Parameter>>();

  of(model: string): ReadonlySet<Parameter> {
    return this.byModel.get(model) ?? new Set();
  }

  /** Those that a caller or the operator sets. */
  get ignored(): IgnoredParameter[] {
    const models = [...this.byModel].filter(([, refused]) => refused.has('temperature' as Parameter));
    return models.map(([model]) => ({ model, parameter: 'temperature' }));
  }

  /** For the completion: the parameters that the request sets and that its model has refused. */
  ignoredOf(request: AiRequest): Pick<AiCompletion, 'ignored'> {
    const isRefused = this.of(request.model).has('temperature' as Parameter);
    return wantsTemperature(request) && isRefused ? { ignored: ['temperature'] } : {};
  }

  /** @returns true if the request may succeed without these parameters */
  learn(model: string, refused: readonly Parameter[]): boolean {
    const known = this.of(model);
    if (refused.every((parameter) => known.has(parameter))) return false;
    this.byModel.set(model, new Set([...known, ...refused]));
    return true;
  }
}

/** How the APIs and compatible servers word a refusal; a value out of range is not one. */
const REFUSAL = /deprecated|not supported|not support|unsupported|not permitted|unknown|unexpected|unrecognized|extra/i;

export function isRefusal({ status, message }: { status?: number | undefined; message: string }): boolean {
  return (status === 400 || status === 422) && REFUSAL.test(message);
}
