import { NestedListField } from '../../core/validation/fields/list-fields.decorator';
import { NestedField } from '../../core/validation/fields/nested-fields.decorator';
import { NumberField } from '../../core/validation/fields/number-fields.decorator';
import { TextField } from '../../core/validation/fields/text-fields.decorator';

const MOST_ITEMS = 100;

const NullableText = (description: string, example: string) =>
  TextField({ max: 2_048, optional: true, nullable: true, description, example });
const NullableNumber = (description: string, example: number) =>
  NumberField({ min: 0, max: 1e12, optional: true, nullable: true, description, example });

class SandboxOrderItemDto {
  @TextField({ max: 256, description: 'Id of the product in the catalog.', example: 'SKU-9' })
  product_id!: string;

  @NullableNumber('Quantity.', 2)
  quantity: number | null = null;

  @NullableNumber('Price of one item.', 12.5)
  price: number | null = null;

  @NullableText('Currency (ISO 4217).', 'EUR')
  currency: string | null = null;
}

class SandboxOrderDto {
  @NullableText('Id of the catalog.', '77')
  catalog_id: string | null = null;

  @NestedListField(SandboxOrderItemDto, {
    max: MOST_ITEMS,
    description: 'Ordered products.',
    example: [{ product_id: 'SKU-9', quantity: 2, price: 12.5, currency: 'EUR' }],
  })
  items!: SandboxOrderItemDto[];

  @NullableNumber('Total.', 25)
  total: number | null = null;
}

class SandboxReferralDto {
  @NullableText('URL of the ad or post.', 'https://example.com/ad')
  source_url: string | null = null;

  @NullableText('Type of the source: `ad` or `post`.', 'ad')
  source_type: string | null = null;

  @NullableText('Id of the ad or post.', '120210000000001')
  source_id: string | null = null;

  @NullableText('Headline of the ad or post.', 'Fresh bread')
  headline: string | null = null;

  @NullableText('Text of the ad or post.', 'Baked at night')
  body: string | null = null;

  @NullableText('Id of the click.', 'ARAkLkA8rmlFeiCktEJQ')
  click_id: string | null = null;
}

class SandboxProductDto {
  @NullableText('Id of the catalog.', '77')
  catalog_id: string | null = null;

  @NullableText('Id of the product in the catalog.', 'SKU-9')
  product_id: string | null = null;
}

/** The parts of `data` that have one form on all platforms. */
export class SandboxDataDto {
  @NestedField(SandboxOrderDto, { optional: true, description: 'Products that the person orders.' })
  order?: SandboxOrderDto;

  @NestedField(SandboxReferralDto, { optional: true, description: 'Ad or post from which the person came.' })
  referral?: SandboxReferralDto;

  @NestedField(SandboxProductDto, { optional: true, description: 'Product that the message asks about.' })
  product?: SandboxProductDto;
}
