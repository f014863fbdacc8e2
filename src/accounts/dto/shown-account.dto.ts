import { ApiProperty } from '@nestjs/swagger';
import { ApiId } from '../../core/openapi/api-id.decorator';

export class ShownAccountDto {
  @ApiId('account', 'Id of the account.')
  id!: string;

  @ApiProperty({ description: 'Name of the account.', example: 'default' })
  name!: string;
}
