import { ApiProperty } from '@nestjs/swagger';
import { AI_PROVIDERS, type AiProviderName } from '#contracts';
import { MAX_URL_LENGTH } from '../../core/egress/address-guard.service';
import { TextField } from '../../core/validation/fields/text-fields.decorator';

const MAX_KEY_LENGTH = 500;

export class AiProviderDto {
  @ApiProperty({ enum: AI_PROVIDERS, description: 'Name of the provider.', example: 'openai' })
  name!: AiProviderName;

  @ApiProperty({ description: 'Whether the gateway can call it.' })
  configured!: boolean;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Base URL of its API; null for the provider’s own address.',
    example: 'https://api.mistral.ai/v1',
  })
  base_url!: string | null;

  @ApiProperty({
    type: String,
    enum: ['environment', 'api', null],
    nullable: true,
    description: 'Where its key and base URL come from; null if it has none.',
  })
  source!: 'environment' | 'api' | null;
}

export class SetAiProviderDto {
  @TextField({
    max: MAX_KEY_LENGTH,
    nullable: true,
    writeOnly: true,
    form: {
      matches: /^[\x21-\x7e]+$/,
      requirement: 'must be visible ASCII characters without spaces',
      isDocumented: true,
    },
    description: 'API key. It is stored encrypted and never returned. Null for a server without keys.',
    example: 'sk-0123456789abcdef',
  })
  api_key!: string | null;

  @TextField({
    max: MAX_URL_LENGTH,
    nullable: true,
    optional: true,
    description:
      'Base URL of the API, used as it is; null or omitted for the provider’s own address. It must not lead into a private network, unless `AI_ALLOWED_CIDRS` names the network; `http://` is allowed then, too.',
    example: 'https://api.mistral.ai/v1',
  })
  base_url?: string | null;
}

export class DeletedAiProviderDto {
  @ApiProperty({ enum: AI_PROVIDERS, description: 'Name of the provider.', example: 'openai' })
  name!: AiProviderName;

  @ApiProperty({ type: 'boolean', enum: [true], description: 'Always true.' })
  deleted!: true;
}

export class AiProviderModelDto {
  @ApiProperty({ description: 'Name of the model at the provider.', example: 'gpt-5-mini' })
  id!: string;

  @ApiProperty({ description: 'Full name of the model, for settings and requests.', example: 'openai/gpt-5-mini' })
  name!: string;
}
