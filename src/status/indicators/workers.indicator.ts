import { Injectable } from '@nestjs/common';
import { HealthIndicatorService } from '@nestjs/terminus';
import { DueWorkMonitor } from '../../core/work/monitor/due-work-monitor.service';

@Injectable()
export class WorkersIndicator {
  constructor(
    private readonly indicators: HealthIndicatorService,
    private readonly work: DueWorkMonitor,
  ) {}

  check() {
    const check = this.indicators.check('workers');
    return this.work.degraded ? check.degraded('due work is stuck') : check.up();
  }
}
