import { NumberField } from '../validation/fields/number-fields.decorator';

const DollarsField = (category: string) =>
  NumberField({ min: 0, max: 1_000, optional: true, description: `Price of a ${category} message, in US dollars.` });

/** The prices of a message to phone numbers with a prefix. */
export class PlatformPricesDto {
  @DollarsField('marketing')
  marketing?: number;

  @DollarsField('utility')
  utility?: number;

  @DollarsField('authentication')
  authentication?: number;

  @DollarsField('service')
  service?: number;
}
