import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsObject, ValidateNested } from 'class-validator';
import {
  MAX_TEXT_LENGTH,
  PARSE_MODES,
  parsePlatform,
  PLATFORM_WORDS,
  textFault,
  type ParseMode,
  type Platform,
} from '#contracts';
import { Flag, OneOf, Optional, PlatformParameter, Text } from '../../core/validation/parameters.decorator';

/** Longest recipient, in characters. */
export const MAX_RECIPIENT_LENGTH = 256;

export class SendOptionsDto {
  @ApiPropertyOptional({
    enum: PARSE_MODES,
    default: 'plain',
    description: 'The markup of `message`; rendered for the platform.',
  })
  @Optional()
  @OneOf(PARSE_MODES)
  parse_mode?: ParseMode;

  @ApiPropertyOptional({ default: false, description: 'Deliver without a sound.' })
  @Optional()
  @Flag()
  disable_notification?: boolean;

  @ApiPropertyOptional({
    description: 'Id of the message that this one answers, one of the same conversation.',
    example: 'msg_01h455vb4pex5vsknk084sn02q',
  })
  @Optional()
  @Text(100)
  reply_to?: string;

  @ApiPropertyOptional({ default: true, description: 'Whether the platform may show a preview of links.' })
  @Optional()
  @Flag()
  link_preview?: boolean;
}

export class SendMessageDto {
  @ApiProperty({
    enum: PLATFORM_WORDS,
    description: 'The platform; `the service` is another word for `telegram`.',
    example: 'telegram',
  })
  @PlatformParameter()
  platform!: Platform;

  @ApiProperty({
    minLength: 1,
    maxLength: MAX_RECIPIENT_LENGTH,
    description: "The recipient's id at the platform.",
    example: '48213907',
  })
  @Text(MAX_RECIPIENT_LENGTH)
  recipient!: string;

  @ApiProperty({
    minLength: 1,
    maxLength: MAX_TEXT_LENGTH,
    description: 'The text. One that is too long for the platform is sent in several parts.',
    example: 'Your order has been shipped.',
  })
  @Text(MAX_TEXT_LENGTH)
  message!: string;

  @ApiPropertyOptional({ type: SendOptionsDto, description: 'How to send it.' })
  @Optional()
  @IsObject()
  @ValidateNested()
  @Type(() => SendOptionsDto)
  options?: SendOptionsDto;

  /** The plainest body there is, which most are: three texts, told by the rules of the decorators above (see ParameterValidation). */
  static fromValid(body: Partial<Record<keyof SendMessageDto, unknown>>): SendMessageDto | undefined {
    const { platform: word, recipient, message } = body;
    if (Object.keys(body).length !== 3) return undefined;
    if (typeof word !== 'string' || typeof recipient !== 'string' || typeof message !== 'string') return undefined;
    const platform = parsePlatform(word);
    if (!platform || textFault(recipient, MAX_RECIPIENT_LENGTH) || textFault(message, MAX_TEXT_LENGTH))
      return undefined;
    return Object.assign(new SendMessageDto(), { platform, recipient, message });
  }
}
