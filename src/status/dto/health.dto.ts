import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';

export class LivenessDto {
  @ApiProperty({ enum: ['ok'], description: 'Always `ok`: the process runs.' })
  status!: 'ok';
}

export class IndicatorDto {
  @ApiProperty({ enum: ['up', 'down'], description: 'Whether it works.' })
  status!: 'up' | 'down';

  @ApiPropertyOptional({ description: 'Why it does not.', example: 'does not answer' })
  message?: string;
}

const indicators = (description: string, example: object) =>
  ApiProperty({
    type: 'object',
    additionalProperties: { $ref: '#/components/schemas/IndicatorDto' },
    description,
    example,
  });

const UP = { process: { status: 'up' }, database: { status: 'up' } };

/** The answer of a health check of @nestjs/terminus. */
export class ReadinessDto {
  @ApiProperty({ enum: ['ok', 'error', 'shutting_down'], description: '`ok`: requests can be served.' })
  status!: string;

  @indicators('What works.', UP)
  info!: Record<string, IndicatorDto>;

  @indicators('What does not.', {})
  error!: Record<string, IndicatorDto>;

  @indicators('Both together.', UP)
  details!: Record<string, IndicatorDto>;
}
