import { Module } from '@nestjs/common';
import { TimelineService } from './timeline.service';

/** Apart from the messages themselves: the command line reads timelines without platforms. */
@Module({ providers: [TimelineService], exports: [TimelineService] })
export class TimelineModule {}
