import { ApiProperty, getSchemaPath } from '@nestjs/swagger';
import type { SettingsChanges } from '../../core/settings/settings';
import { publicIdSchema } from '../../core/openapi/api-id.decorator';
import { AccountSettingsChangesDto } from '../../accounts/dto/account-request.dto';
import { NestedField } from '../../core/validation/fields/nested-fields.decorator';
import { TextField } from '../../core/validation/fields/text-fields.decorator';

/** The message to be answered. */
export class PreviewTargetDto {
  @TextField({ max: 100, description: 'Id of the conversation.', example: publicIdSchema('conversation').example })
  conversation_id!: string;

  @TextField({
    max: 100,
    optional: true,
    description:
      'Id of the inbound message to answer, or of an answer, to answer its message again. Default: the newest inbound message.',
    example: publicIdSchema('message').example,
  })
  message_id?: string;

  @NestedField(AccountSettingsChangesDto, {
    optional: true,
    description:
      'Settings to change of the conversation’s account, as in `PATCH /integrations/{account_id}`. `system_prompt` and `model` of its `ai` are tried.',
  })
  account_settings?: AccountSettingsChangesDto;
}

export class PreviewDto extends PreviewTargetDto {
  @ApiProperty({
    allOf: [{ $ref: getSchemaPath('AiChangesDto') }],
    description:
      '`ai` settings to use instead of the current ones of the environment. Those of the account win. Prices, budgets and `max_tokens_limit` stay in force.',
  })
  settings!: NonNullable<SettingsChanges['ai']>;
}

/** For a handler with its own pipe: a class here would make the global pipe check the body first. */
export type PreviewRequest = PreviewDto;
