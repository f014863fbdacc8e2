import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';

export class WarningDto {
  @ApiProperty({
    enum: ['DEPRECATED_OPERATION', 'DEPRECATED_FIELD', 'PARAMETER_IGNORED', 'SEARCH_INCOMPLETE'],
    description: 'Type of the warning, for programs.',
  })
  code!: string;

  @ApiProperty({ description: 'Explanation for people, and what to do instead.', example: 'Use POST /messages/send.' })
  message!: string;

  @ApiPropertyOptional({ format: 'date-time', description: 'When the deprecated operation or field may be removed.' })
  sunset?: string;
}

/** `meta` of an answer. */
export class MetaDto {
  @ApiProperty({
    description: 'Id of the request, as in the header X-Request-Id.',
    example: 'req_01h455vb4pex5vsknk084sn02q',
  })
  request_id!: string;

  @ApiProperty({ format: 'date-time', description: 'When the response was made.' })
  timestamp!: string;

  @ApiPropertyOptional({
    type: [WarningDto],
    description:
      'Present only if the request used something deprecated, a parameter was ignored, or the index of a search is being built.',
  })
  warnings?: WarningDto[];
}

export class PaginationDto {
  @ApiProperty({ type: 'integer', minimum: 1, description: 'Page number, from 1.' })
  page!: number;

  @ApiProperty({
    type: 'integer',
    minimum: 1,
    maximum: 100,
    description: 'Maximum number of items on a page.',
    example: 20,
  })
  per_page!: number;

  @ApiProperty({ type: 'integer', minimum: 0, description: 'Number of items in the whole list.', example: 1 })
  total!: number;

  @ApiProperty({ type: 'integer', minimum: 0, description: 'Number of pages in the whole list.', example: 1 })
  total_pages!: number;

  @ApiPropertyOptional({
    type: Boolean,
    description: 'True if the list has more than 10,000 items: `total` is then 10,000, and pages beyond it are empty.',
  })
  total_capped?: boolean;
}

/** `meta` of a page of a list. */
export class PageMetaDto extends MetaDto {
  @ApiProperty({ description: 'Position of the page in the list.' })
  pagination!: PaginationDto;
}
