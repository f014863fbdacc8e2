import { Module } from '@nestjs/common';
import { CatchUp } from './catch-up.service';
import { EventHistory } from './event-history.service';
import { EventReader } from './event-reader.service';
import { EventStreamService } from './event-stream.service';
import { EventsController } from './events.controller';
import { LiveFeed } from './live-feed.service';
import { LiveStreams } from './live-streams.service';

/** Events for clients: a stream for connected clients, and a single event by its id. */
@Module({
  controllers: [EventsController],
  providers: [CatchUp, EventHistory, EventReader, EventStreamService, LiveFeed, LiveStreams],
})
export class LiveModule {}
