import { ApiProperty } from '@nestjs/swagger';
import { ApiId } from '../../core/openapi/api-id.decorator';

export class DeletedAccountDto {
  @ApiId('account', 'Id of the account.')
  id!: string;

  @ApiProperty({ enum: [true], description: 'Always true.' })
  deleted!: true;
}
