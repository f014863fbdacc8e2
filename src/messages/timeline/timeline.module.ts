import { Module } from '@nestjs/common';
import { Explain } from './explain.service';
import { TimelineService } from './timeline.service';

/** Without the module of messages, so that the command line can read timelines without platforms. */
@Module({ providers: [TimelineService, Explain], exports: [TimelineService] })
export class TimelineModule {}
