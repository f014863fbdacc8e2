import { Module } from '@nestjs/common';
import { Explain } from './explain.service';
import { TimelineService } from './timeline.service';

/** Apart from the messages themselves: the command line reads timelines without platforms. */
@Module({ providers: [TimelineService, Explain], exports: [TimelineService] })
export class TimelineModule {}
