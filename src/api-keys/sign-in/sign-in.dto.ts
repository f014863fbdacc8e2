import { ApiProperty } from '@nestjs/swagger';
import { TextField } from '../../core/validation/fields/text-fields.decorator';

export class ExchangeCodeDto {
  @TextField({ max: 100, description: 'Code in the link that the first start printed.' })
  code!: string;
}

export class FirstKeysDto {
  @ApiProperty({ description: 'The live key.', example: 'service_sk_live_4eC39HqLyjWDarjtT1zdp7dcPq2fXk9b' })
  live!: string;

  @ApiProperty({ description: 'The test key.', example: 'service_sk_test_4eC39HqLyjWDarjtT1zdp7dcPq2fXk9b' })
  test!: string;
}
