import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';

export class LivenessDto {
  @ApiProperty({ enum: ['ok'], description: 'Always `ok`.' })
  status!: 'ok';
}

export class IndicatorDto {
  @ApiProperty({ enum: ['up', 'down'], description: 'State of the component.' })
  status!: 'up' | 'down';

  @ApiPropertyOptional({ description: 'Why the component is down.', example: 'does not answer' })
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
  @ApiProperty({ enum: ['ok', 'error', 'shutting_down'], description: '`ok` if requests can be served.' })
  status!: string;

  @indicators('Components that are up.', UP)
  info!: Record<string, IndicatorDto>;

  @indicators('Components that are down.', {})
  error!: Record<string, IndicatorDto>;

  @indicators('All components.', UP)
  details!: Record<string, IndicatorDto>;
}
