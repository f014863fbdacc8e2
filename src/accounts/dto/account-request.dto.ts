import { MAX_ACCOUNT_NAME, type Platform } from '#contracts';
import { AtLeastOneOf } from '../../core/validation/at-least-one.decorator';
import { ListField, textItems } from '../../core/validation/fields/list-fields.decorator';
import { NestedField } from '../../core/validation/fields/nested-fields.decorator';
import { PairsField } from '../../core/validation/fields/pairs-field.decorator';
import { TextField } from '../../core/validation/fields/text-fields.decorator';
import { BooleanField, EnumField, PlatformField } from '../../core/validation/fields/word-fields.decorator';
import { GROUP_REPLIES, type GroupReplies } from '../account-settings';

const CREDENTIALS = {
  max: 10,
  maxKey: 50,
  maxValue: 4_096,
  example: { bot_token: '7012345678:AAH9b3uX2Yk1s5Zc8vQ0wE4rT6yU7iO8pA' },
};
const MEANING =
  'Telegram and Discord: `bot_token`. WhatsApp: `access_token`, `phone_number_id`, `app_secret`, `verify_token`, and optionally `business_account_id`. They are checked with the platform, stored encrypted, and never returned.';

export class AccountAiChangesDto {
  @BooleanField({ optional: true, nullable: true, description: 'Whether the assistant answers; null inherits.' })
  auto_reply?: boolean | null;

  @TextField({ max: 20_000, optional: true, nullable: true, description: 'System prompt; null inherits.' })
  system_prompt?: string | null;

  @TextField({ max: 200, notBlank: true, optional: true, nullable: true, description: 'Model; null inherits.' })
  model?: string | null;

  @ListField({
    max: 64,
    items: textItems(64, { notBlank: true }),
    optional: true,
    nullable: true,
    description: 'Names of the tools that the assistant may call; null inherits.',
    example: ['order_status'],
  })
  tools?: string[] | null;
}

export class AccountSettingsChangesDto {
  @NestedField(AccountAiChangesDto, { optional: true, nullable: true, description: 'Settings of the assistant.' })
  ai?: AccountAiChangesDto | null;

  @EnumField({
    words: GROUP_REPLIES,
    optional: true,
    nullable: true,
    description: 'Which messages of groups the assistant answers; null inherits.',
  })
  group_replies?: GroupReplies | null;
}

export class NewAccountDto {
  @PlatformField({ description: 'Platform of the account.', example: 'telegram' })
  platform!: Platform;

  @TextField({
    max: MAX_ACCOUNT_NAME,
    notBlank: true,
    description: 'Name of the account, unique for the platform.',
    example: 'Shop',
  })
  name!: string;

  @PairsField({ ...CREDENTIALS, description: MEANING })
  credentials!: Record<string, string>;
}

@AtLeastOneOf('name', 'credentials', 'enabled', 'is_default', 'settings')
export class AccountChangeDto {
  @TextField({
    max: MAX_ACCOUNT_NAME,
    notBlank: true,
    optional: true,
    description: 'Name of the account, unique for the platform.',
    example: 'Shop',
  })
  name?: string;

  @PairsField({ ...CREDENTIALS, optional: true, description: `${MEANING} They must be of the same bot or number.` })
  credentials?: Record<string, string>;

  @BooleanField({ optional: true, description: 'Whether the gateway connects the account.' })
  enabled?: boolean;

  @BooleanField({
    optional: true,
    description: 'True makes it the default account. To change the default, make another account the default.',
  })
  is_default?: boolean;

  @NestedField(AccountSettingsChangesDto, {
    optional: true,
    description: 'Settings to change; those that are not named stay.',
  })
  settings?: AccountSettingsChangesDto;
}
