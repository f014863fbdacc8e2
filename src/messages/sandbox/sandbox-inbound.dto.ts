import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsObject, ValidateNested } from 'class-validator';
import { MAX_TEXT_LENGTH, PLATFORM_WORDS, type Platform } from '#contracts';
import { ApiId } from '../../core/openapi/api-id.decorator';
import { Nullable, PlatformParameter, Text } from '../../core/validation/parameters.decorator';
import { MAX_RECIPIENT_LENGTH } from '../dto/send-message.dto';

const MAX_NAME_LENGTH = 256;

export class SandboxSenderDto {
  @ApiProperty({
    minLength: 1,
    maxLength: MAX_RECIPIENT_LENGTH,
    description: 'The id at the platform: what a reply is sent to.',
    example: '48213907',
  })
  @Text(MAX_RECIPIENT_LENGTH)
  id!: string;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    maxLength: MAX_NAME_LENGTH,
    description: 'The name shown at the platform.',
    example: 'Ada Lovelace',
  })
  @Nullable()
  @Text(MAX_NAME_LENGTH)
  name?: string | null;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    maxLength: MAX_NAME_LENGTH,
    description: 'The user name at the platform.',
    example: 'ada',
  })
  @Nullable()
  @Text(MAX_NAME_LENGTH)
  username?: string | null;
}

export class SandboxInboundDto {
  @ApiProperty({ enum: PLATFORM_WORDS, description: 'The platform to play.', example: 'telegram' })
  @PlatformParameter()
  platform!: Platform;

  @ApiProperty({ description: 'Who writes.' })
  @IsObject({ message: '$property must be an object' })
  @ValidateNested()
  @Type(() => SandboxSenderDto)
  sender!: SandboxSenderDto;

  @ApiProperty({ minLength: 1, maxLength: MAX_TEXT_LENGTH, description: 'What is written.', example: 'Hello!' })
  @Text(MAX_TEXT_LENGTH)
  content!: string;
}

export class SandboxInboundResultDto {
  @ApiId('message', 'Id of the stored message.')
  message_id!: string;

  @ApiId('conversation', 'Id of its conversation.')
  conversation_id!: string;
}
