import { Module } from '@nestjs/common';
import { CatchUp } from './catch-up.service';
import { EventHistory } from './event-history.service';
import { EventStreamService } from './event-stream.service';
import { EventsController } from './events.controller';
import { LiveFeed } from './live-feed.service';
import { LiveStreams } from './live-streams.service';

/** The stream of events for clients that are connected. */
@Module({
  controllers: [EventsController],
  providers: [CatchUp, EventHistory, EventStreamService, LiveFeed, LiveStreams],
})
export class LiveModule {}
