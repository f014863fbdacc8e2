import { Module } from '@nestjs/common';
import { Explain } from './explain.service';
import { TimelineController } from './timeline.controller';
import { TimelineService } from './timeline.service';

/** Without the module of messages, so that the command line can read timelines without platforms. */
@Module({ controllers: [TimelineController], providers: [TimelineService, Explain], exports: [TimelineService] })
export class TimelineModule {}
