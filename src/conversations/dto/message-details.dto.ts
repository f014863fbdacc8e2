import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import type { MessageData } from '#contracts';
import { ApiId } from '../../core/openapi/api-id.decorator';

const optionalText = (description: string, example: string) =>
  ApiProperty({ type: String, nullable: true, description, example });
const optionalNumber = (description: string, example: number) =>
  ApiProperty({ type: Number, nullable: true, description, example });

export class AuthorDto {
  @ApiProperty({ description: 'The id at the platform.', example: '48213907' })
  id!: string;

  @optionalText('The name shown at the platform.', 'Ada Lovelace')
  name!: string | null;

  @optionalText('The user name at the platform.', 'ada')
  username!: string | null;
}

class OrderItemDto {
  @ApiProperty({ description: 'The id of the product in the catalog.', example: 'SKU-9' })
  product_id!: string;

  @optionalNumber('How many.', 2)
  quantity!: number | null;

  @optionalNumber('The price of one.', 12.5)
  price!: number | null;

  @optionalText('The currency (ISO 4217).', 'EUR')
  currency!: string | null;
}

class OrderDto {
  @optionalText('The id of the catalog.', '77')
  catalog_id!: string | null;

  @ApiProperty({ type: [OrderItemDto], description: 'The products.' })
  items!: OrderItemDto[];

  @optionalNumber('The sum; null if the currencies differ or a price is missing.', 25)
  total!: number | null;
}

class ReferralDto {
  @optionalText('The address of the ad or post.', 'https://example.com/ad')
  source_url!: string | null;

  @optionalText('`ad` or `post`.', 'ad')
  source_type!: string | null;

  @optionalText('The id of the ad or post.', '120210000000001')
  source_id!: string | null;

  @optionalText('Its headline.', 'Fresh bread')
  headline!: string | null;

  @optionalText('Its text.', 'Baked at night')
  body!: string | null;

  @optionalText('The id of the click.', 'ARAkLkA8rmlFeiCktEJQ')
  click_id!: string | null;
}

class ProductDto {
  @optionalText('The id of the catalog.', '77')
  catalog_id!: string | null;

  @optionalText('The id of the product in the catalog.', 'SKU-9')
  product_id!: string | null;
}

export class MessageDataDto implements MessageData {
  @ApiPropertyOptional({ type: OrderDto, description: 'The products that a person ordered.' })
  order?: OrderDto;

  @ApiPropertyOptional({ type: ReferralDto, description: 'The ad or post that led the person here.' })
  referral?: ReferralDto;

  @ApiPropertyOptional({ type: ProductDto, description: 'The product that the message asks about.' })
  product?: ProductDto;

  @ApiPropertyOptional({
    type: 'object',
    properties: {
      currency: { type: 'string', description: 'The currency (ISO 4217).' },
      total_amount: { type: 'number', description: 'The amount, in the smallest unit of the currency.' },
    },
    additionalProperties: true,
    description: 'A payment, as the platform describes it.',
  })
  payment?: Record<string, unknown>;

  @ApiPropertyOptional({
    type: 'object',
    properties: {
      data: { type: 'string', description: 'What the web app sent.' },
      button_text: { type: 'string', description: 'The words on the button that opened it.' },
    },
    additionalProperties: true,
    description: 'Data from a web app inside the chat.',
  })
  web_app?: Record<string, unknown>;
}

export class QuotationDto {
  @ApiId('message', 'Id of the quoted message; null if the gateway does not know it.', { nullable: true })
  message_id!: string | null;

  @ApiProperty({
    type: AuthorDto,
    nullable: true,
    description: 'Who wrote it; null if the business did, or the platform does not tell.',
  })
  sender!: AuthorDto | null;

  @optionalText(
    'Its words, or the part that is quoted, up to 300 characters; null if they are not known.',
    'We open at 9',
  )
  content!: string | null;
}

/** The fields of a message that its text does not show. */
export class MessageDetailsDto {
  @ApiProperty({ type: AuthorDto, nullable: true, description: 'Who wrote it; null for outbound messages.' })
  sender!: AuthorDto | null;

  @ApiProperty({
    type: MessageDataDto,
    nullable: true,
    description: 'The structure behind the words: an order, an ad that led here; null for most messages.',
  })
  data!: MessageDataDto | null;

  @ApiProperty({ type: QuotationDto, nullable: true, description: 'The message that it quotes; null without one.' })
  reply_to!: QuotationDto | null;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'When its author last edited it; null: not, or it is deleted.',
  })
  edited_at!: string | null;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'When its author deleted it; null: not.',
  })
  deleted_at!: string | null;
}
