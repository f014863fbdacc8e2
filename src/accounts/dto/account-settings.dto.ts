import { ApiProperty } from '@nestjs/swagger';
import { GROUP_REPLIES, type AccountSettings, type GroupReplies } from '../account-settings';

export class AccountAiSettingsDto {
  @ApiProperty({ type: Boolean, nullable: true, description: 'Whether the assistant answers; null inherits.' })
  auto_reply!: boolean | null;

  @ApiProperty({ type: String, nullable: true, description: 'System prompt; null inherits.' })
  system_prompt!: string | null;

  @ApiProperty({ type: String, nullable: true, description: 'Model; null inherits.', example: 'claude-haiku-4-5' })
  model!: string | null;

  @ApiProperty({
    type: [String],
    nullable: true,
    description: 'Names of the tools that the assistant may call; null inherits.',
    example: ['order_status'],
  })
  tools!: string[] | null;
}

/** The settings that an account overrides; null inherits that of the environment. */
export class AccountSettingsDto {
  @ApiProperty({ description: 'Settings of the assistant in conversations of the account.' })
  ai!: AccountAiSettingsDto;

  @ApiProperty({
    enum: GROUP_REPLIES,
    nullable: true,
    description: 'Which messages of groups the assistant answers; null inherits.',
  })
  group_replies!: GroupReplies | null;
}

export function shownSettings({ ai = {}, group_replies }: AccountSettings): AccountSettingsDto {
  const { auto_reply = null, system_prompt = null, model = null, tools = null } = ai;
  return { ai: { auto_reply, system_prompt, model, tools }, group_replies: group_replies ?? null };
}
