import { Param } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import { AI_PROVIDERS } from '#contracts';

/** The name of a provider in the path. */
export function ProviderName(): ParameterDecorator {
  return (target, handler, index) => {
    Param('name')(target, handler, index);
    const schema = { type: 'string' as const, enum: [...AI_PROVIDERS], example: 'openai' };
    const descriptor = Object.getOwnPropertyDescriptor(target, handler!)!;
    ApiParam({ name: 'name', description: 'Name of the provider.', schema })(target, handler!, descriptor);
  };
}
