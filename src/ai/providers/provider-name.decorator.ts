import { AI_PROVIDERS } from '#contracts';
import { DocumentedParam } from '../../core/openapi/documented-param.decorator';

/** The name of a provider in the path. */
export function ProviderName(): ParameterDecorator {
  const schema = { type: 'string' as const, enum: [...AI_PROVIDERS], example: 'openai' };
  return DocumentedParam('name', { description: 'Name of the provider.', schema });
}
