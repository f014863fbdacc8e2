import { ApiProperty } from '@nestjs/swagger';
import type { DirectionHealth } from '../health/direction-health';

export class SendingDto {
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'Last success on any instance; null if unknown.',
    example: '2026-01-15T10:30:00.000Z',
  })
  last_success_at!: string | null;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description:
      'Last failure; null if never, or once the error is cleared. If it is newer than `last_success_at`, the failure continues.',
    example: '2026-01-15T09:12:44.512Z',
  })
  last_error_at!: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Code of the last error; null if `last_error_at` is null.',
    example: 'unreachable',
  })
  last_error_code!: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    maxLength: 500,
    description: 'Last error in a sentence, for an operator; null if `last_error_at` is null.',
    example: 'Telegram cannot be reached: cannot connect to api.telegram.org: ECONNREFUSED.',
  })
  last_error!: string | null;
}

export class ReceivingDto extends SendingDto {
  @ApiProperty({
    type: 'integer',
    minimum: 0,
    nullable: true,
    description:
      'Number of messages waiting at the platform, as reported within the last minute; null if the platform does not report it or is not connected.',
    example: 0,
  })
  backlog!: number | null;
}

/** Receiving and sending fail independently: a bot that can still send may receive nothing. */
export class DirectionsDto {
  @ApiProperty({ description: 'State of receiving.' })
  receiving!: ReceivingDto;

  @ApiProperty({ description: 'State of sending.' })
  sending!: SendingDto;
}

export function directionsOf(receiving: DirectionHealth, sending: DirectionHealth): DirectionsDto {
  return { receiving: { ...toDto(receiving), backlog: receiving.backlog }, sending: toDto(sending) };
}

function toDto({ lastSuccessAt, lastErrorAt, lastErrorCode, lastError }: DirectionHealth): SendingDto {
  return {
    last_success_at: iso(lastSuccessAt),
    last_error_at: lastErrorCode === null ? null : iso(lastErrorAt),
    last_error_code: lastErrorCode,
    last_error: lastError,
  };
}

function iso(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}
