import { ApiPropertyOptional } from '@nestjs/swagger';
import { DIRECTIONS, PLATFORMS, type Direction, type Platform } from '#contracts';
import { DatedListQuery } from '../../core/http/list-query.dto';
import { OneOf, Optional, PlatformParameter, Text } from '../../core/http/parameters';

export class MessageListQuery extends DatedListQuery {
  @ApiPropertyOptional({ enum: PLATFORMS, description: 'Only messages on this platform.' })
  @Optional()
  @PlatformParameter()
  platform?: Platform;

  @ApiPropertyOptional({ enum: DIRECTIONS, description: 'Only messages of this direction.' })
  @Optional()
  @OneOf(DIRECTIONS)
  direction?: Direction;

  @ApiPropertyOptional({
    description: 'Only messages of this conversation.',
    example: 'conv_01h455vb4pex5vsknk084sn02q',
  })
  @Optional()
  @Text(100)
  conversation_id?: string;
}
