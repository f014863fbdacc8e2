import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import type { MessageData } from '#contracts';
import { ApiId } from '../../core/openapi/api-id.decorator';

const optionalText = (description: string, example: string) =>
  ApiProperty({ type: String, nullable: true, description, example });
const optionalNumber = (description: string, example: number) =>
  ApiProperty({ type: Number, nullable: true, description, example });

export class AuthorDto {
  @ApiProperty({ description: 'Id on the platform.', example: '48213907' })
  id!: string;

  @optionalText('Name on the platform.', 'Ada Lovelace')
  name!: string | null;

  @optionalText('Username on the platform.', 'ada')
  username!: string | null;
}

class OrderItemDto {
  @ApiProperty({ description: 'Id of the product in the catalog.', example: 'SKU-9' })
  product_id!: string;

  @optionalNumber('Quantity.', 2)
  quantity!: number | null;

  @optionalNumber('Price of one item.', 12.5)
  price!: number | null;

  @optionalText('Currency (ISO 4217).', 'EUR')
  currency!: string | null;
}

class OrderDto {
  @optionalText('Id of the catalog.', '77')
  catalog_id!: string | null;

  @ApiProperty({ type: [OrderItemDto], description: 'Ordered products.' })
  items!: OrderItemDto[];

  @optionalNumber('Total; null if the currencies differ or a price is missing.', 25)
  total!: number | null;
}

class ReferralDto {
  @optionalText('URL of the ad or post.', 'https://example.com/ad')
  source_url!: string | null;

  @optionalText('Type of the source: `ad` or `post`.', 'ad')
  source_type!: string | null;

  @optionalText('Id of the ad or post.', '120210000000001')
  source_id!: string | null;

  @optionalText('Headline of the ad or post.', 'Fresh bread')
  headline!: string | null;

  @optionalText('Text of the ad or post.', 'Baked at night')
  body!: string | null;

  @optionalText('Id of the click.', 'ARAkLkA8rmlFeiCktEJQ')
  click_id!: string | null;
}

class ProductDto {
  @optionalText('Id of the catalog.', '77')
  catalog_id!: string | null;

  @optionalText('Id of the product in the catalog.', 'SKU-9')
  product_id!: string | null;
}

export class MessageDataDto implements MessageData {
  @ApiPropertyOptional({ type: OrderDto, description: 'Products that the person ordered.' })
  order?: OrderDto;

  @ApiPropertyOptional({ type: ReferralDto, description: 'Ad or post from which the person came.' })
  referral?: ReferralDto;

  @ApiPropertyOptional({ type: ProductDto, description: 'Product that the message asks about.' })
  product?: ProductDto;

  @ApiPropertyOptional({
    type: 'object',
    properties: {
      currency: { type: 'string', description: 'Currency (ISO 4217).' },
      total_amount: { type: 'number', description: 'Amount, in the smallest unit of the currency.' },
    },
    additionalProperties: true,
    description: 'Payment, as the platform describes it.',
  })
  payment?: Record<string, unknown>;

  @ApiPropertyOptional({
    type: 'object',
    properties: {
      data: { type: 'string', description: 'Data that the web app sent.' },
      button_text: { type: 'string', description: 'Text of the button that opened the web app.' },
    },
    additionalProperties: true,
    description: 'Data from a web app in the chat.',
  })
  web_app?: Record<string, unknown>;
}

export class QuotationDto {
  @ApiId('message', 'Id of the quoted message; null if the gateway does not know it.', { nullable: true })
  message_id!: string | null;

  @ApiProperty({
    type: AuthorDto,
    nullable: true,
    description:
      'Author of the quoted message; null if the business wrote it, or the platform does not name the author.',
  })
  sender!: AuthorDto | null;

  @optionalText('Quoted text, up to 300 characters; null if unknown.', 'We open at 9')
  content!: string | null;
}

/** The fields of a message that its text does not show. */
export class MessageDetailsDto {
  @ApiProperty({
    type: AuthorDto,
    nullable: true,
    description: 'Author of an inbound message; null for outbound messages.',
  })
  sender!: AuthorDto | null;

  @ApiProperty({
    type: MessageDataDto,
    nullable: true,
    description: 'Structured data of the message, such as an order; null for most messages.',
  })
  data!: MessageDataDto | null;

  @ApiProperty({ type: QuotationDto, nullable: true, description: 'Quoted message; null if there is none.' })
  reply_to!: QuotationDto | null;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'When the author last edited the message; null if never, or if the message is deleted.',
  })
  edited_at!: string | null;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'When the author deleted the message; null if it is not deleted.',
  })
  deleted_at!: string | null;
}
